# Noise is put on the weights after each step
# offered: no
# because: noise is drawn for each part
# about: {"batch": "batch_size", "value": 6}
# fails: loss = criterion(model(x), y)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(1); torch.set_default_dtype(torch.float64)
dl = DataLoader(TensorDataset(torch.randn(48, 3), torch.randn(48, 1)), batch_size=12)
model, criterion = nn.Linear(3, 1), nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for epoch in range(2):
    for x, y in dl:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            model.weight.add_(torch.randn_like(model.weight) * 1e-3)
