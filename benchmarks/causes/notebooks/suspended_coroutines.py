# Coroutines that wait for each other hold what they have computed
#
# cause: suspended
# also: kept-tensors, several-tasks
# edit: no
# remedy: none
# gpu: 2GiB
# fails: embedding = torch.randn(2**24, device="cuda")
# source: https://docs.python.org/3/library/asyncio-task.html

# %%
import asyncio

import torch

gate = asyncio.Event()


async def embed(number):
    """Each waits until all are there."""
    features = torch.randn(2**24, device="cuda")
    await gate.wait()
    return features.mean().item()

# %%
tasks = [asyncio.create_task(embed(n)) for n in range(24)]
await asyncio.sleep(0.1)
for number in range(16):
    embedding = torch.randn(2**24, device="cuda")
    tasks.append(embedding)
