# A function reads _ whenever it is called
# offered: no
# because: _ is read in a function
# fails: torch.ones(2)
# %%
import torch

def again():
    return _ + 1
# %%
torch.ones(2)
# %%
value = again().tolist()
