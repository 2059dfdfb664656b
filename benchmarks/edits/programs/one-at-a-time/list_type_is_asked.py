# The list that gather makes is changed later, the other pool is counted
# offered: no
# because: the number of workers is read
# fails: outs = list(pool.map(torch.sqrt, torch.arange(4.0)))
# %%
import torch
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(max_workers=4)
# %%
outs = list(pool.map(torch.sqrt, torch.arange(4.0)))
share = len(outs) / pool._max_workers
pool.shutdown()
