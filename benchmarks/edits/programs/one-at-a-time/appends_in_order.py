# Each task writes when it is done
# offered: no
# because: the order of what they write is another
# fails: await asyncio.gather(*(work(n) for n in (3, 1, 2)))
# %%
import asyncio, torch
done = []

async def work(n):
    await asyncio.sleep(0.01 * n)
    done.append(n * torch.ones(1).item())
# %%
await asyncio.gather(*(work(n) for n in (3, 1, 2)))
print(done)
