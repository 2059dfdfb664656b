# Training and validation loaders are made with the same number, each its own
# offered: no
# because: the number that the failing loop follows is not the one that is changed
# about: {"batch": "batch_size", "value": 4, "last": true}
# fails: loss = F.mse_loss(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
inputs_all, targets_all = torch.randn(64, 4), torch.randn(64, 1)
train_loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=16, drop_last=True)
valid_loader = DataLoader(TensorDataset(torch.randn(32, 4), torch.randn(32, 1)), batch_size=16, drop_last=True)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
# %%
for xb, yb in train_loader:
    opt.zero_grad()
    loss = F.mse_loss(model(xb), yb)
    loss.backward()
    opt.step()
