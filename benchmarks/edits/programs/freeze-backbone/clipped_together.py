# Gradients of backbone and head are clipped by their common norm
# offered: no
# because: the norm of the head's gradients alone is smaller
# about: {"name": "backbone", "trained": []}
# fails: loss = F.cross_entropy(head(backbone(x)), y)
# %%
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
# %%
backbone, head = nn.Linear(4, 8), nn.Linear(8, 2)
model = nn.ModuleList([backbone, head])
opt = torch.optim.SGD(head.parameters(), lr=0.3)
# %%
for x, y in zip(torch.randn(9, 4).split(3), torch.randint(0, 2, (9,)).split(3)):
    loss = F.cross_entropy(head(backbone(x)), y)
    model.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.05)
    opt.step()
print(head.weight.sum().item())
