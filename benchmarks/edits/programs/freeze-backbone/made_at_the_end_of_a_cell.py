# The cell that makes the backbone ends there, and shows nothing
# offered: yes
# about: {"name": "backbone", "trained": []}
# fails: h = backbone(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(6)
torch.set_default_dtype(torch.float64)
# %%
backbone = nn.Sequential(nn.Linear(5, 6), nn.Tanh())
# %%
head = nn.Linear(6, 2)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
# %%
for x, y in zip(torch.randn(12, 5).split(4), torch.randint(0, 2, (12,)).split(4)):
    h = backbone(x)
    loss = F.cross_entropy(head(h), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(len(Out), loss.item())
