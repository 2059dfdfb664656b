# __setitem__ is called
# offered: no
# because: a later cell goes backward from what the dict has
# about: {}
# fails: ok = cache.__setitem__(len(cache), net(x)) is None
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
cache = {}
# %%
for x in X.split(16):
    ok = cache.__setitem__(len(cache), net(x)) is None
# %%
cache[1].square().mean().backward()
opt.step()
