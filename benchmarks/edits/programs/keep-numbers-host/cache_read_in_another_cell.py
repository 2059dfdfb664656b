# Another cell reads the cache's entries on the card
# offered: no
# because: only one cell is changed
# about: {"name": "cache", "way": "cache"}
# fails: cache[key] = embed(key)
# %%
import torch
weight = torch.randn(5, 3).cuda()

def embed(key):
    return weight[key]

cache = {}

def lookup(key):
    if key not in cache:
        cache[key] = embed(key)
    return cache[key]
# %%
both = lookup(1) + lookup(2)
# %%
distance = (cache[1] - weight[0]).norm().item()
