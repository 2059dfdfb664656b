# The next cell goes on with _
# offered: no
# because: _ is read
# fails: torch.arange(6.0).view(2, 3)
# %%
import torch
# %%
torch.arange(6.0).view(2, 3)
# %%
total = _.sum().item()
