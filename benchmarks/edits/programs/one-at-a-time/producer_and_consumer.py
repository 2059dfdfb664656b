# A producer and a consumer with a queue
# offered: no
# because: the one waits for the other
# fails: nothing, got = await asyncio.gather(produce(), consume())
# %%
import asyncio, torch
q = asyncio.Queue(1)

async def produce():
    for n in range(3):
        await q.put(torch.ones(n))

async def consume():
    return [(await q.get()).sum().item() for _ in range(3)]
# %%
nothing, got = await asyncio.gather(produce(), consume())
del q
