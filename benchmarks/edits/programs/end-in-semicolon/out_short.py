# A cell reads the second output by its short name
# offered: no
# because: _2 is read
# fails: torch.full((2,), 4.0)
# %%
import torch
# %%
torch.full((2,), 4.0)
# %%
try:
    value = _2.tolist()
except NameError:
    value = None
