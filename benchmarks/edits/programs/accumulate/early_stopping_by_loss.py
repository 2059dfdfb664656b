# The loop looks at the last loss of an epoch, for early stopping
# offered: no
# because: the loss of the last batch is read behind the loop
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
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
best, patience = float("inf"), 0
# %%
for epoch in range(10):
    for x, y in dl:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    if loss < best - 1e-2:
        best, patience = loss.item(), 0
    elif (patience := patience + 1) > 1:
        break
