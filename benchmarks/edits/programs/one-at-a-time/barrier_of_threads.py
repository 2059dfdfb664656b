# Threads meet at a barrier
# offered: no
# because: one thread alone waits for ever
# fails: outs = list(pool.map(meet, range(2)))
# %%
import threading, torch
from concurrent.futures import ThreadPoolExecutor
barrier = threading.Barrier(2)

def meet(n):
    barrier.wait(timeout=0.3)
    return torch.ones(n).sum().item()
# %%
with ThreadPoolExecutor(2) as pool:
    outs = list(pool.map(meet, range(2)))
del barrier
