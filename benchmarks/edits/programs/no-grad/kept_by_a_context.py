# A context manager keeps
# offered: no
# because: a later cell goes backward from what the context keeps
# about: {}
# fails: with Kept(net(x)) as k:
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
class Kept:
    all = []
    def __init__(self, o): self.all.append(o); self.o = o
    def __enter__(self): return self.o
    def __exit__(self, *e): return False
# %%
for x in X.split(16):
    with Kept(net(x)) as k:
        print(len(k))
# %%
Kept.all[0].square().mean().backward()
opt.step()
