# The batch stands in a module that lies beside the notebook
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, checkpointing
# gpu: 4GiB
# fails: loss = F.cross_entropy(model(images), labels)
# cure: BATCH_SIZE = 512 => BATCH_SIZE = 64
# source: https://github.com/mrdbourke/pytorch-deep-learning/discussions

# %%
from pathlib import Path

Path("settings.py").write_text("""
BATCH_SIZE = 512
STEPS = 3
""")

# %%
import torch
import torch.nn.functional as F
from torch import nn


def make(width=64, depth=8, classes=10):
    blocks = [nn.Conv2d(3, width, 3, padding=1)]
    for _ in range(depth):
        blocks += [nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))

import settings

model = make().cuda()
optimizer = torch.optim.Adam(model.parameters())

# %%
for step in range(settings.STEPS):
    images = torch.rand(settings.BATCH_SIZE, 3, 64, 64, device="cuda")
    labels = torch.zeros(settings.BATCH_SIZE, dtype=torch.long, device="cuda")
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
