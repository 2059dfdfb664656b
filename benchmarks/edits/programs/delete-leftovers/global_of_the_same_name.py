# A function has a name of its own like the notebook's
# offered: no
# because: out of the notebook is read in the next cell
# about: {"names": ["out"], "where": "before"}
# fails: second = make(2)
# %%
import torch

def make(n):
    out = torch.ones(3) * n
    return out

out = make(1)
# %%
second = make(2)
# %%
both = (out + second).sum().item()
