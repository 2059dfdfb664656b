# Results in the order in which they come
# offered: no
# because: as_completed has another order then
# fails: futures = {pool.submit(wait, n): n for n in (2, 0)}
# %%
import time, torch
from concurrent.futures import ThreadPoolExecutor, as_completed

def wait(n):
    time.sleep(0.02 * n)
    return torch.ones(n + 1).sum().item()
# %%
order = []
with ThreadPoolExecutor(max_workers=2) as pool:
    futures = {pool.submit(wait, n): n for n in (2, 0)}
    for future in as_completed(futures):
        order.append(futures[future])
del futures, future
