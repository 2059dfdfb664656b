# `validate` is called by `fit`; the mode is set by a helper elsewhere, once
# offered: yes
# about: {"model": "net"}
# fails: total += crit(net(x), y).item()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
crit, modes = nn.MSELoss(), []
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def mode(on): net.train(on)
# %%
def validate(data):
    total = 0.0
    for x, y in data:
        total += crit(net(x), y).item()
    return total
# %%
def fit(data, epochs):
    mode(True)
    for _ in range(epochs):
        for x, y in data:
            modes.append(net.training)
            opt.zero_grad()
            crit(net(x), y).backward()
            opt.step()
        validate(data)
fit(list(zip(X.split(16), Y.split(16))), 3)
print(modes)
