# A generator is sent what is kept
# offered: no
# because: a later cell goes backward from what the generator was sent
# about: {}
# fails: sink.send(net(x))
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
kept = {}
def keeper():
    while True:
        kept["last"] = yield
sink = keeper()
next(sink)
# %%
for x in X.split(16):
    sink.send(net(x))
# %%
kept["last"].square().mean().backward()
opt.step()
