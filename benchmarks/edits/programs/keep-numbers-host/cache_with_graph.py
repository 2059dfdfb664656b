# A cache keeps features whose graph is trained
# offered: no
# because: an identity is asked for
# about: {"name": "cache", "way": "cache"}
# fails: cache[k] = make(k)
# %%
import torch

def make(k):
    return torch.ones(2, device="cuda") * k

cache = {}

def get(k):
    if k not in cache:
        cache[k] = make(k)
    return cache[k]
# %%
same = get(1) is get(1)
