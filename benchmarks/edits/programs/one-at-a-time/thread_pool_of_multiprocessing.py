# A ThreadPool of multiprocessing, indented with tabs
# offered: yes
# fails: means = pool.map(mean, rows)
# %%
from multiprocessing.pool import ThreadPool
import torch

def mean(row):
	return row.mean().item()

rows = list(torch.arange(12.0).view(3, 4))
# %%
with ThreadPool(processes=3) as pool:
	means = pool.map(mean, rows)
