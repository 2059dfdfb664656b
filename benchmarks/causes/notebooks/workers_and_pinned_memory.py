# A loader with workers and pinned memory, as most people write it
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, checkpointing, accumulate
# gpu: 4GiB
# fails: loss = F.cross_entropy(model(images), labels)
# cure: batch_size=512, shuffle => batch_size=64, shuffle
# source: https://pytorch.org/docs/stable/data.html

# %%
import torch
import torch.nn.functional as F
from torch import nn


def make(width=64, depth=8, classes=10):
    blocks = [nn.Conv2d(3, width, 3, padding=1)]
    for _ in range(depth):
        blocks += [nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))

from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.zeros(2000, 3, 64, 64), torch.zeros(2000, dtype=torch.long))
loader = DataLoader(data, batch_size=512, shuffle=True, num_workers=2, pin_memory=True)
model = make().cuda()
optimizer = torch.optim.Adam(model.parameters())

# %%
for images, labels in loader:
    images, labels = images.cuda(non_blocking=True), labels.cuda(non_blocking=True)
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
