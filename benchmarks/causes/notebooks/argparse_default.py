# The batch is the default of an option in a cell with argparse
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, checkpointing
# gpu: 4GiB
# fails: loss = F.cross_entropy(model(images), labels)
# cure: default=512 => default=64
# source: https://github.com/pytorch/examples

# %%
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=512)
parser.add_argument("--steps", type=int, default=3)
args = parser.parse_args([])

# %%
import torch
import torch.nn.functional as F
from torch import nn


def make(width=64, depth=8, classes=10):
    blocks = [nn.Conv2d(3, width, 3, padding=1)]
    for _ in range(depth):
        blocks += [nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))

model = make().cuda()
optimizer = torch.optim.Adam(model.parameters())

# %%
for step in range(args.steps):
    images = torch.rand(args.batch_size, 3, 64, 64, device="cuda")
    labels = torch.zeros(args.batch_size, dtype=torch.long, device="cuda")
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
