# ReduceLROnPlateau by the mean of an epoch
# offered: yes
# about: {"batch": "batch_size", "value": 6}
# fails: loss = criterion(model(x), y)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(1); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(48, 3), torch.randn(48, 1)
dl = DataLoader(TensorDataset(X, Y), batch_size=12)
model = nn.Linear(3, 1)
criterion = nn.L1Loss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
# %%
for epoch in range(8):
    total = 0.0
    for x, y in dl:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    plateau.step(total / len(dl))
