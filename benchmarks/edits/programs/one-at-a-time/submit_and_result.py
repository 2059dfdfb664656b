# Futures in a list whose results are read in order
# offered: yes
# fails: futures = [pool.submit(work, n) for n in range(5)]
# %%
import torch
import concurrent.futures

def work(n):
    return torch.ones(n).sum().item()
# %%
with concurrent.futures.ThreadPoolExecutor(3) as pool:
    futures = [pool.submit(work, n) for n in range(5)]
    sums = [f.result() for f in futures]
del futures
