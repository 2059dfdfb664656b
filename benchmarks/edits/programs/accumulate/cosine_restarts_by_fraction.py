# Warm restarts are told how far the epoch is
# offered: no
# because: the schedule is told how far the epoch is in batches
# about: {"batch": "batch_size", "value": 6}
# fails: loss = criterion(model(x), y)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(1); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(48, 3), torch.randn(48, 1)
dl = DataLoader(TensorDataset(X, Y), batch_size=12, shuffle=True)
model = nn.Linear(3, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
iters = len(dl)
# %%
for epoch in range(3):
    for i, (x, y) in enumerate(dl):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step(epoch + i / iters)
