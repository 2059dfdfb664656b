# The loop accumulates already
# offered: no
# because: its own steps would be counted in smaller batches
# about: {"batch": "batch_size", "value": 4}
# fails: loss = F.mse_loss(model(xb), yb) / accum
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
accum = 2
# %%
opt.zero_grad()
for i, (xb, yb) in enumerate(loader, 1):
    loss = F.mse_loss(model(xb), yb) / accum
    loss.backward()
    if i % accum == 0:
        opt.step()
        opt.zero_grad()
