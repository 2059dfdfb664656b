# An evaluation that is awaited at the top of a cell
# offered: yes
# about: {}
# fails: total += metric(model(x), y).item()
# %%
import asyncio

import torch

torch.manual_seed(6)
model = torch.nn.Linear(3, 1)
metric = torch.nn.L1Loss()
pairs = [(torch.randn(2, 3), torch.randn(2, 1)) for _ in range(3)]
total = 0.0
# %%
await asyncio.sleep(0)
for x, y in pairs:
    total += metric(model(x), y).item()
await asyncio.sleep(0)
print(f"{total:.5f}")
