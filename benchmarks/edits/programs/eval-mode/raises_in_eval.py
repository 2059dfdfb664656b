# An evaluation that is ended by an exception the caller catches
# offered: yes
# about: {"model": "net"}
# fails: out = net(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.0), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
modes = []
class Enough(Exception): pass
# %%
def score():
    for x in X.split(16):
        out = net(x)
        if out.sum().item() < 1e9:
            raise Enough
# %%
for x, y in zip(X.split(16), Y.split(16)):
    modes.append(net.training)
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    opt.step()
    try:
        score()
    except Enough:
        pass
print(modes)
