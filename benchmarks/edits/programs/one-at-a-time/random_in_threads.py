# Each thread draws its own random numbers
# offered: no
# because: the threads share one generator; which draws first is not certain, and the order changes
# fails: outs = list(pool.map(noisy, range(3)))
# %%
import time, torch
from concurrent.futures import ThreadPoolExecutor

def noisy(n):
    time.sleep(0.02 * (3 - n))
    return torch.rand(1).item()
# %%
torch.manual_seed(0)
with ThreadPoolExecutor(3) as pool:
    outs = list(pool.map(noisy, range(3)))
