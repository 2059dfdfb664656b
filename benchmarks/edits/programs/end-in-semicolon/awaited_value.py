# The value that a cell ends in is awaited
# offered: yes
# fails: await compute(3)
# %%
import asyncio, torch

async def compute(n):
    await asyncio.sleep(0)
    return torch.ones(n)
# %%
await compute(3)
# %%
asked = True
