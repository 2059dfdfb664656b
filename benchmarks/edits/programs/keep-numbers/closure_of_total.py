# The total is read by a nested function with nonlocal
# offered: no
# because: the nested function goes backward from the total
# about: {"name": "total"}
# fails: loss = F.mse_loss(net(x), y)
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
def train():
    total = 0.0
    def flush():
        nonlocal total
        (total * 1.0).backward()
        opt.step()
        total = 0.0
    for i, (x, y) in enumerate(zip(X.split(16), Y.split(16)), start=1):
        loss = F.mse_loss(net(x), y)
        total += loss
        if i % 2 == 0:
            flush()
# %%
train()
