# What a stack's method gives back is bound, as in `n = stack.push(...)`
# offered: no
# because: a later cell goes backward from what the list has
# about: {}
# fails: n = list.append(box, net(x))
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
box = []
# %%
for x in X.split(16):
    n = list.append(box, net(x))
# %%
box[0].square().mean().backward()
opt.step()
