# gather of two calls that are unpacked
# offered: yes
# fails: a, b = await asyncio.gather(encode("left"), encode("right"))
# %%
import asyncio, torch

async def encode(text):
    await asyncio.sleep(0)
    return torch.tensor([float(ord(c)) for c in text]).mean().item()
# %%
a, b = await asyncio.gather(encode("left"), encode("right"))
