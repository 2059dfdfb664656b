# A cell reads Out[2]
# offered: no
# because: Out is read
# fails: torch.ones(3).cumsum(0)
# %%
import torch
# %%
torch.ones(3).cumsum(0)
# %%
last = Out[2][-1].item()
