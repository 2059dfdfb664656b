# Already without a value to show
# offered: no
# because: nothing is displayed
# fails: y = torch.ones(3)
# %%
import torch
# %%
y = torch.ones(3)
