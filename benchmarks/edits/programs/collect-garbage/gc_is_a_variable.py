# gc is a name of the person's
# offered: no
# because: gc is a number here
# fails: y = torch.ones(4) * gc
# %%
import torch
gc = 0.5
# %%
y = torch.ones(4) * gc
total = y.sum().item()
