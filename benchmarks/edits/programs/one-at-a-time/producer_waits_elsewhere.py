# A flag that another cell made is waited for
# offered: no
# because: the first waits for what the second does
# fails: a, b = await asyncio.gather(first(), second())
# %%
import asyncio, torch
ready = asyncio.Event()

async def first():
    await asyncio.wait_for(ready.wait(), 0.3)
    return torch.ones(2).sum().item()

async def second():
    ready.set()
    return 2
# %%
a, b = await asyncio.gather(first(), second())
# %%
del ready
