# A walrus keeps the output, an f-string shows it, another cell trains on it
# offered: no
# because: a later cell goes backward from it
# about: {}
# fails: print(f"{(out := net(x)).sum().item():.3f}")
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
# %%
for x in X.split(16):
    print(f"{(out := net(x)).sum().item():.3f}")
# %%
out.square().mean().backward()
opt.step()
