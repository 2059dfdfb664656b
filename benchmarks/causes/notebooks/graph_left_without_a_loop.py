# A cell without a loop leaves its graph, and the next one has no room
#
# cause: retained-graph
# also: activations
# edit: yes
# remedy: no-grad, keep-numbers, smaller-batch
# gpu: 4608MiB
# fails: after = model(torch.rand(128, 3, 64, 64, device="cuda"))
# cure: before = model(torch.rand(400, 3, 64, 64, device="cuda")) => before = model(torch.rand(400, 3, 64, 64, device="cuda")).detach()
# source: https://pytorch.org/docs/stable/notes/faq.html

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

# %%
before = model(torch.rand(400, 3, 64, 64, device="cuda"))
before.mean()

# %%
after = model(torch.rand(128, 3, 64, 64, device="cuda"))
