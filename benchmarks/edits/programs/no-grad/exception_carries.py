# An exception carries the output away
# offered: no
# because: who catches the exception goes backward from what it carries
# about: {}
# fails: out = net(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def probe():
    for x in X.split(16):
        out = net(x)
        if out.sum() < 1e9:
            raise ValueError(out)
# %%
try:
    probe()
except ValueError as e:
    e.args[0].square().mean().backward()
    opt.step()
