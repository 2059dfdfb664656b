# All together have a time limit
# offered: no
# because: one after the other they take longer
# fails: slept = await asyncio.gather(*(nap(n) for n in range(4)))
# %%
import asyncio, torch

async def nap(n):
    await asyncio.sleep(0.03)
    return n + torch.zeros(1).item()

async def all_naps():
    slept = await asyncio.gather(*(nap(n) for n in range(4)))
    return slept
# %%
slept = await asyncio.wait_for(all_naps(), timeout=0.1)
