# A model with dropout
# offered: no
# because: what is dropped in smaller batches is something else
# about: {"batch": "batch_size", "value": 4}
# fails: loss = F.mse_loss(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
inputs_all, targets_all = torch.randn(64, 4), torch.randn(64, 1)
loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=16, drop_last=True)
model = nn.Sequential(nn.Linear(4, 33), nn.Dropout(0.4), nn.Linear(33, 1))
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
# %%
for xb, yb in loader:
    opt.zero_grad()
    loss = F.mse_loss(model(xb), yb)
    loss.backward()
    opt.step()
