# An entry of a cache is changed where it is read
# offered: no
# because: the change would be made on a copy
# about: {"name": "states", "way": "cache"}
# fails: states[i] = init(i)
# %%
import torch

def init(i):
    return torch.full((3,), float(i)).cuda()

states = {}

def update(i, x):
    if i not in states:
        states[i] = init(i)
    s = states[i]
    s.mul_(0.9).add_(x)
    return s.sum().item()
# %%
seen = [update(i % 2, 1.0) for i in range(6)]
print(seen)
