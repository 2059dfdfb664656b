# What is kept is changed afterwards in place
# offered: yes
# about: {"name": "outs"}
# fails: out = net(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Linear(4, 1)
outs = []
# %%
for x in X.split(16):
    out = net(x)
    outs.append(out)
    out += 1
    out.mul_(2)
print(f"{torch.cat(outs).sum().item():.5f}")
