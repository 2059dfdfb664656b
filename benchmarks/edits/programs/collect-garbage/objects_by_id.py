# An `id` is kept as a key of a cache
# offered: yes
# fails: out = f(torch.zeros(3))
# %%
import torch
cache, misses = {}, 0
class Node:
    def __init__(self):
        self.me = self
def f(x):
    n = Node()
    return id(n)
# %%
for _ in range(5):
    out = f(torch.zeros(3))
    cache.setdefault(out, len(cache))
hits = len(cache) > 0
del cache, out  # addresses are other ones each time
