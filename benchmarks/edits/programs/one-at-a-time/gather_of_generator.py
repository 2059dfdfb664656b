# gather of a generator
# offered: yes
# fails: answers = await asyncio.gather(*(answer(n) for n in range(4)))
# %%
import asyncio, torch

async def answer(n):
    await asyncio.sleep(0)
    return torch.full((2,), float(n)).sum().item()
# %%
answers = await asyncio.gather(*(answer(n) for n in range(4)))
