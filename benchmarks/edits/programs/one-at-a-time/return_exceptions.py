# Errors come back among the results
# offered: no
# because: the first error would end it
# fails: found = await asyncio.gather(*(risky(n) for n in range(3)), return_exceptions=True)
# %%
import asyncio, torch

async def risky(n):
    if n == 1:
        raise ValueError(n)
    return torch.ones(n).sum().item()
# %%
found = await asyncio.gather(*(risky(n) for n in range(3)), return_exceptions=True)
kinds = [type(each).__name__ for each in found]
del found
