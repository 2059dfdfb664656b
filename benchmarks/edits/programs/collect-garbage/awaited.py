# Awaited at the top of a cell
# offered: yes
# fails: value = await make(3)
# %%
import asyncio, torch

async def make(n):
    await asyncio.sleep(0)
    return torch.ones(n)
# %%
value = await make(3)
total = value.sum().item()
