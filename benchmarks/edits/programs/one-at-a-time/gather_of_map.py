# gather of map, in a function
# offered: yes
# fails: return await asyncio.gather(*map(embed, texts))
# %%
import asyncio, torch

async def embed(text):
    await asyncio.sleep(0)
    return len(text) * torch.ones(1).item()

async def embed_all(texts):
    return await asyncio.gather(*map(embed, texts))
# %%
lengths = await embed_all(["a", "bb", "ccc"])
