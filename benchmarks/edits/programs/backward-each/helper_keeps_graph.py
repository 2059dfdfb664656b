# A function keeps what it has encoded
# offered: no
# because: the second round takes it from there, graph and all
# about: {"total": "loss"}
# fails: loss += F.mse_loss(encode(0) + model(x), y)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
from functools import lru_cache
model, base = nn.Linear(3, 1), nn.Linear(3, 1)
opt = torch.optim.SGD([*model.parameters(), *base.parameters()], lr=0.1)
@lru_cache
def encode(n):
    return torch.tanh(base(torch.ones(3)))
pairs = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(3)]
# %%
opt.zero_grad()
loss = 0
for x, y in pairs:
    loss += F.mse_loss(encode(0) + model(x), y)
loss.backward()
opt.step()
