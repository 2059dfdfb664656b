# The class goes by another name
# offered: yes
# fails: best = max(pool.map(score, range(4)))
# %%
from concurrent.futures import ThreadPoolExecutor as Pool
import torch

def score(k):
    return torch.arange(4.0)[k].item()
# %%
with Pool() as pool:
    best = max(pool.map(score, range(4)))
