# A penalty on the weights, which does not depend on the batch, stands beside the loss
# offered: yes
# about: {"batch": "batch_size", "value": 9}
# fails: out = model(xb)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(8)
torch.set_default_dtype(torch.float64)
# %%
cfg = {"batch_size": 18, "lr": 0.02, "l1": 1e-3}
inputs_all, targets_all = torch.randn(72, 4), torch.randn(72, 2)
loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=cfg["batch_size"], shuffle=True, drop_last=True)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=cfg["lr"])
# %%
for epoch in range(2):
    for xb, yb in loader:
        out = model(xb)
        loss = ((out - yb) ** 2).mean() + cfg["l1"] * model.weight.abs().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
