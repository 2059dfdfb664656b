# Dropout draws as before, since a backward pass draws nothing
# offered: yes
# about: {"total": "loss"}
# fails: loss = loss + model(x).square().mean()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
parts = torch.randn(4, 5, 3)
# %%
%%time
loss = torch.zeros(())
for x in parts:
    loss = loss + model(x).square().mean()
opt.zero_grad()
loss.backward()
opt.step()
final = loss.item()
