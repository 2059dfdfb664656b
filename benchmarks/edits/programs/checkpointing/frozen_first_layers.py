# The first layers are frozen
# offered: yes
# about: {"model": "model"}
# fails: out = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(5)])
model[0].requires_grad_(False)
opt = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
# %%
for x in torch.randn(3, 5, 4):
    out = model(x)
    loss = out.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
