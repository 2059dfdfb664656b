# A class body takes the total
# offered: no
# because: a later cell goes backward from the attribute of the class
# about: {"name": "total"}
# fails: total += F.mse_loss(net(x), y)
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
total = 0.0
for x, y in zip(X.split(16), Y.split(16)):
    total += F.mse_loss(net(x), y)
# %%
class Run:
    sum = total
Run.sum.backward()
opt.step()
