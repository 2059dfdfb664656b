# A magic reads _
# offered: no
# because: %time _ + 1
# fails: torch.zeros(2)
# %%
import torch
# %%
torch.zeros(2)
# %%
%time more = _ + 1
