# The first cell starts CUDA and runs out, so that nothing was watched before
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, checkpointing
# gpu: 3GiB
# fails: loss = F.cross_entropy(model(torch.rand(batch_size, 3, 64, 64).cuda()), labels)
# cure: batch_size = 512 => batch_size = 64
# source: https://pytorch.org/tutorials/beginner/blitz/cifar10_tutorial.html

# %%
import torch
import torch.nn.functional as F
from torch import nn


def make(width=64, depth=8, classes=10):
    blocks = [nn.Conv2d(3, width, 3, padding=1)]
    for _ in range(depth):
        blocks += [nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))

batch_size = 512
model = make().cuda()
optimizer = torch.optim.Adam(model.parameters())
for step in range(2):
    labels = torch.zeros(batch_size, dtype=torch.long).cuda()
    loss = F.cross_entropy(model(torch.rand(batch_size, 3, 64, 64).cuda()), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
