# Jobs in other processes: it is a worker that ran out of memory, this notebook's model is small
#
# cause: elsewhere
# edit: no
# remedy: smaller-batch
# gpu: 16GiB
# fails: losses = [job.result() for job in jobs]
# source: https://docs.pytorch.org/docs/stable/notes/multiprocessing.html

# %%
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor

import torch

LOG = (
    "CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 16.00 GiB of "
    "which 1.20 GiB is free. Including non-PyTorch memory, this process has 14.80 GiB memory in "
    "use. Of the allocated memory 14.11 GiB is allocated by PyTorch, and 210.00 MiB is reserved by "
    "PyTorch but unallocated."
)


def train(hidden):
    """Stands for the training on the other machine of the pool."""
    if hidden > 4096:
        raise torch.OutOfMemoryError(LOG)
    return 1.0 / hidden


# %%
baseline = torch.nn.Linear(4096, 4096).cuda()
features = torch.randn(8192, 4096, device="cuda")

# %%
with ProcessPoolExecutor(2, mp_context=mp.get_context("fork")) as pool:
    jobs = [pool.submit(train, hidden) for hidden in (1024, 2048, 16_384)]
    losses = [job.result() for job in jobs]
