# A cell that fails is run a second time as it is
#
# cause: activations
# also: earlier-traceback
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, checkpointing
# gpu: 4GiB
# run: 1 2! 2!
# fails: loss = F.cross_entropy(model(images), labels)
# cure: batch_size = 512 => batch_size = 64
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
optimizer = torch.optim.Adam(model.parameters())
batch_size = 512

# %%
for step in range(3):
    images = torch.rand(batch_size, 3, 64, 64, device="cuda")
    labels = torch.zeros(batch_size, dtype=torch.long, device="cuda")
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
