# The last batch is smaller than the others
# offered: no
# because: its parts are unequal, so the mean of their means is not the mean
# about: {"batch": "batch_size", "value": 4}
# fails: loss = F.mse_loss(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
inputs_all, targets_all = torch.randn(70, 4), torch.randn(70, 1)
loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=16, shuffle=True)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
# %%
for xb, yb in loader:
    opt.zero_grad()
    loss = F.mse_loss(model(xb), yb)
    loss.backward()
    opt.step()
