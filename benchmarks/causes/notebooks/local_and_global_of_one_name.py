# A function's own batch has the name of a large global one
#
# cause: data-on-gpu
# also: activations
# edit: no
# remedy: move-per-batch, delete-leftovers, smaller-batch
# gpu: 2457MiB
# fails: train(make().cuda(), 128)
# source: https://discuss.pytorch.org/t/cuda-out-of-memory/449

# %%
import torch
import torch.nn.functional as F
from torch import nn


def make(width=64, depth=8, classes=10):
    blocks = [nn.Conv2d(3, width, 3, padding=1)]
    for _ in range(depth):
        blocks += [nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))

images = torch.rand(40_000, 3, 64, 64, device="cuda")
mean, std = images.mean().item(), images.std().item()

# %%
def train(model, batch_size):
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(3):
        images = torch.rand(batch_size, 3, 64, 64, device="cuda")
        loss = model((images - mean) / (std + 1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

# %%
train(make().cuda(), 128)
