# What fails stands in a function
# offered: no
# because: the function may be called very often
# fails: return torch.ones(n)
# %%
import torch

def make(n):
    return torch.ones(n)
# %%
made = [make(n) for n in range(3)]
