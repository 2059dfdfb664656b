# A cell reads the value before the last with two underscores
# offered: no
# because: __ is read
# fails: torch.ones(2) * 3
# %%
import torch
# %%
torch.ones(2) * 3
# %%
try:
    old = __
except NameError:
    old = None
