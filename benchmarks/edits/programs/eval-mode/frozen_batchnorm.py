# BatchNorm layers are kept in evaluation mode while the rest trains
# offered: no
# because: its parts have different modes, which `train()` would change
# about: {"model": "net"}
# fails: outs.append(net(x).mean().item())
# %%
import torch
from torch import nn

torch.manual_seed(9)
torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Dropout(0.0), nn.Linear(6, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
data = torch.randn(16, 4).split(4)
modes = []


def step(x):
    modes.append([each.training for each in net])
    opt.zero_grad()
    net(x).square().mean().backward()
    opt.step()


net.train()
net[1].eval()
step(data[0])
# %%
outs = []
for x in data:
    outs.append(net(x).mean().item())
# %%
for x in data:
    step(x)
print(modes[-1])
