# setattr keeps the output on a namespace
# offered: no
# because: a later cell goes backward from the attribute
# about: {}
# fails: setattr(keep, "out", net(x))
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
from types import SimpleNamespace
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
keep = SimpleNamespace()
# %%
for x in X.split(16):
    setattr(keep, "out", net(x))
# %%
keep.out.square().mean().backward()
opt.step()
