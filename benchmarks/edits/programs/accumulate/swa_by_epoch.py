# Weights are averaged after each epoch (SWA)
# offered: no
# because: a module that averages is alive
# about: {"batch": "batch_size", "value": 6}
# fails: loss = criterion(model(x), y)
# %%
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, SWALR
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(1); torch.set_default_dtype(torch.float64)
dl = DataLoader(TensorDataset(torch.randn(48, 3), torch.randn(48, 1)), batch_size=12, shuffle=True)
model, criterion = nn.Linear(3, 1), nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
swa, swa_sched = AveragedModel(model), SWALR(optimizer, swa_lr=0.01)
# %%
for epoch in range(4):
    for x, y in dl:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    swa.update_parameters(model)
    swa_sched.step()
