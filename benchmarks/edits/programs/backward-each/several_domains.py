# Batches of several domains in a function, batch normalisation in the model
# offered: yes
# about: {"total": "loss"}
# fails: loss += criterion(model(x), t)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
def train_step(domains):
    optimizer.zero_grad()
    loss = 0
    for x, t in domains:
        loss += criterion(model(x), t)
    loss.backward()
    optimizer.step()
    return loss.item()
# %%
domains = [(torch.randn(6, 4), torch.randint(0, 2, (6,))) for _ in range(3)]
history = [train_step(domains) for _ in range(3)]
print(history[-1] < history[0])
