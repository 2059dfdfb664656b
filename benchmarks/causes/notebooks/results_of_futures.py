# Futures of an executor keep their results on the GPU
#
# cause: suspended
# also: kept-tensors
# edit: no
# remedy: keep-numbers
# gpu: 2GiB
# fails: latest = encode(torch.randn(4096, 1024))
# source: https://docs.python.org/3/library/concurrent.futures.html

# %%
from concurrent.futures import ThreadPoolExecutor

import torch

weight = torch.randn(1024, 8192, device="cuda")


def encode(texts):
    with torch.no_grad():
        return texts.cuda() @ weight

# %%
pool = ThreadPoolExecutor(1)
futures = [pool.submit(encode, torch.randn(4096, 1024)) for _ in range(11)]
done = [len(each.result()) for each in futures]

# %%
results = []
for number in range(20):
    latest = encode(torch.randn(4096, 1024))
    results.append(latest)
