# Features are computed once, before the loop
# offered: no
# because: the graph of the backbone is gone after the first part
# about: {"total": "loss"}
# fails: loss = loss + F.mse_loss(head(features), y)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
body = nn.Linear(3, 4)
heads = nn.ModuleList([nn.Linear(4, 1) for _ in range(3)])
opt = torch.optim.SGD([*body.parameters(), *heads.parameters()], lr=0.1)
x, ys = torch.randn(6, 3), torch.randn(3, 6, 1)
# %%
opt.zero_grad()
features = torch.tanh(body(x))
loss = 0
for head, y in zip(heads, ys):
    loss = loss + F.mse_loss(head(features), y)
loss.backward()
opt.step()
