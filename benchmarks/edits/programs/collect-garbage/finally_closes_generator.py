# A generator in a cycle closes something in its `finally`
# offered: no
# because: a generator that is collected runs its `finally`
# fails: y = torch.zeros(4) + k
# %%
import torch
closed = []
def reader(k):
    try:
        yield k
        yield k + 1
    finally:
        closed.append(k)
class Holder:
    pass
# %%
import gc as collector
gone = 0
for k in range(3):
    h = Holder(); h.g = reader(k); h.h = h
    next(h.g)
    y = torch.zeros(4) + k
n = len(closed)
