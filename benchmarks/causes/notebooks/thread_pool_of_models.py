# A search trains four models at once in threads
#
# cause: several-tasks
# also: activations, model-too-large
# edit: yes
# remedy: smaller-batch
# gpu: 8GiB
# fails: results = list(pool.map(train, widths))
# cure: max_workers=4 => max_workers=1
# source: https://github.com/pavelzbornik/whisperX-FastAPI/issues/466

# %%
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn



def train(width, steps=20):
    with torch.device("cuda"):
        net = nn.Sequential(
            nn.Linear(256, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1)
        )
        x = torch.randn(32_768, 256)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(steps):
        loss = net(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


# %%
widths = [4096, 4224, 4352, 4480]
with ThreadPoolExecutor(max_workers=4) as pool:
    results = list(pool.map(train, widths))
