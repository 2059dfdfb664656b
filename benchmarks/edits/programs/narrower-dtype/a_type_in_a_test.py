# A test of the type decides what is done
# offered: no
# because: code asks whether it is double precision
# about: {"way": "single", "names": ["z"]}
# fails: y = z * 2
# %%
import torch

# %%
z = torch.ones(4, dtype=torch.float64)
y = z * 2
# %%
digits = 16 if y.dtype == torch.float64 else 7
print(digits)
