# Results come unordered from imap
# offered: no
# because: imap_unordered has another order
# fails: outs = list(pool.imap_unordered(slow, (2, 0)))
# %%
import time, torch
from multiprocessing.pool import ThreadPool

def slow(n):
    time.sleep(0.02 * n)
    return n + torch.zeros(1).item()
# %%
with ThreadPool(2) as pool:
    outs = list(pool.imap_unordered(slow, (2, 0)))
