# The model moved to the GPU has two names, net and model, and is one object
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, checkpointing
# gpu: 4GiB
# fails: out = model(x)
# cure: batch_size = 512 => batch_size = 64
# source: https://pytorch.org/tutorials/beginner/basics/buildmodel_tutorial.html

# %%
import torch
import torch.nn.functional as F
from torch import nn


def make(width=64, depth=8, classes=10):
    blocks = [nn.Conv2d(3, width, 3, padding=1)]
    for _ in range(depth):
        blocks += [nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))


device = "cuda"
net = make()
model = net.to(device)
optimizer = torch.optim.Adam(model.parameters())
batch_size = 512

# %%
for step in range(3):
    x, y = torch.rand(batch_size, 3, 64, 64), torch.zeros(batch_size, dtype=torch.long)
    x, y = x.to(device), y.to(device)
    x = x.to(device)
    out = model(x)
    loss = F.cross_entropy(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
