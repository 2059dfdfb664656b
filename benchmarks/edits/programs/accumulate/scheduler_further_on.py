# The scheduler steps a line further on, behind what is logged
# offered: no
# because: it would step four times for each step of the optimizer
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
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
lr_decay = torch.optim.lr_scheduler.ExponentialLR(opt, 0.99)
# %%
total = 0.0
for xb, yb in loader:
    opt.zero_grad()
    loss = F.mse_loss(model(xb), yb)
    loss.backward()
    opt.step()
    total += loss.item()
    lr_decay.step()
print(lr_decay.get_last_lr())
