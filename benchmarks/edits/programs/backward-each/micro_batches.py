# A sum over micro-batches, which goes backward at the end
# offered: yes
# about: {"total": "loss"}
# fails: loss = loss + F.mse_loss(model(x), y) / 4
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = [(torch.randn(5, 3), torch.randn(5, 1)) for _ in range(4)]
# %%
for step in range(3):
    optimizer.zero_grad()
    loss = 0
    for x, y in data:
        loss = loss + F.mse_loss(model(x), y) / 4
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 8))
