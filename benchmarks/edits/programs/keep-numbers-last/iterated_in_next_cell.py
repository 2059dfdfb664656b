# The next cell goes over all
# offered: no
# because: all are read later
# about: {"name": "values"}
# fails: values.append(x * 2)
# %%
import torch
values = []
for x in torch.arange(5.0):
    values.append(x * 2)
    print(values[-1].item())
# %%
curve = [v.item() for v in values]
