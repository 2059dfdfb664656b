# The first answer of two wins
# offered: no
# because: FIRST_COMPLETED has another winner then
# fails: done, rest = wait([pool.submit(reply, s) for s in (0.05, 0.0)], return_when=FIRST_COMPLETED)
# %%
import time, torch
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

def reply(seconds):
    time.sleep(seconds)
    return seconds + torch.zeros(1).item()
# %%
with ThreadPoolExecutor(2) as pool:
    done, rest = wait([pool.submit(reply, s) for s in (0.05, 0.0)], return_when=FIRST_COMPLETED)
    winner = done.pop().result()
del done, rest
