# A loop with a with block and an except clause
# offered: yes
# fails: z = torch.ones(5) * i
# %%
import torch
errors = []
for i in range(3):
    try:
        with torch.no_grad():
            z = torch.ones(5) * i
        if i == 1:
            raise ValueError(i)
    except ValueError as error:
        errors.append(str(error))
# %%
print(errors, z.sum())
