# Tiles of a map are segmented in tasks that all run at once
#
# cause: several-tasks
# also: activations, unnamed-values
# edit: yes
# remedy: split-request
# gpu: 2GiB
# fails: maps = [await each for each in tasks]
# cure: asyncio.create_task(segment(tile)) => segment(tile)
# source: https://github.com/tiangolo/fastapi/issues/5091

# %%
import asyncio

import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 8, 1)).cuda()
net.requires_grad_(False)
tiles = torch.rand(16, 3, 1024, 1024)


async def segment(tile):
    x = net[0](tile[None].cuda())
    await asyncio.sleep(0)
    x = net[1](x)
    await asyncio.sleep(0)
    return net[2](x).argmax(1).cpu()


# %%
tasks = [asyncio.create_task(segment(tile)) for tile in tiles]
maps = [await each for each in tasks]
