# A task submits to its own pool and waits for that
# offered: no
# because: with one worker it waits for ever
# fails: total = pool.submit(outer, 3).result(timeout=0.3)
# %%
import torch
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(max_workers=2)

def inner(n):
    return torch.ones(n).sum().item()

def outer(n):
    return pool.submit(inner, n).result(timeout=0.2) + 1
# %%
total = pool.submit(outer, 3).result(timeout=0.3)
pool.shutdown()
