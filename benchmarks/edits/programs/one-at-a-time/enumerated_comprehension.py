# A comprehension with a condition
# offered: yes
# fails: found = await asyncio.gather(*[search(i, q) for i, q in enumerate(queries) if q])
# %%
import asyncio, torch

queries = ["x", "", "yy"]

async def search(i, q):
    await asyncio.sleep(0)
    return i + torch.zeros(1).item()
# %%
%time found = None
found = await asyncio.gather(*[search(i, q) for i, q in enumerate(queries) if q])
