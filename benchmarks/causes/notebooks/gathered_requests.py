# An async service of a notebook answers twelve requests at once, each with its own tensors
#
# cause: several-tasks
# also: activations
# edit: yes
# remedy: smaller-batch, split-request
# gpu: 8GiB
# fails: answers = await asyncio.gather(*(answer(n) for n in range(12)))
# cure: answers = await asyncio.gather(*(answer(n) for n in range(12))) => answers = [await answer(n) for n in range(12)]
# source: https://github.com/vllm-project/vllm/issues/4959

# %%
import asyncio

import torch
import torch.nn as nn

model = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 3, 3, padding=1))
model = model.cuda().eval().requires_grad_(False)


async def fetch(n):
    await asyncio.sleep(0.01)
    return torch.rand(4, 3, 1024, 1024)


# %%
async def answer(n):
    image = (await fetch(n)).cuda()
    features = model[1](model[0](image))
    await asyncio.sleep(0.01)  # the log is written here
    return model[2](features).cpu()


# %%
answers = await asyncio.gather(*(answer(n) for n in range(12)))
print(len(answers))
