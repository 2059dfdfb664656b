# A cached function keeps what it has computed
# offered: no
# because: the function gives again what it computed without gradients
# about: {}
# fails: total += features(i).sum().item()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
from functools import lru_cache
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
parts = X.split(16)
@lru_cache
def features(i):
    return net(parts[i])
# %%
total = 0.0
for i in range(4):
    total += features(i).sum().item()
# %%
features(2).square().mean().backward()
opt.step()
