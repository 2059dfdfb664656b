# A later cell makes a variable gc, and runs again
# offered: no
# because: gc is bound by a later cell
# fails: y = torch.ones(4)
# %%
import torch
# %%
y = torch.ones(4)
# %%
gc = y * 2
total = gc.sum().item()
