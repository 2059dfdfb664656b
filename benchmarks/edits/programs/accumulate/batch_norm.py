# A model with batch normalisation
# offered: no
# because: it normalises over the batch, and its running statistics move more often
# about: {"batch": "batch_size", "value": 8}
# fails: loss = F.cross_entropy(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
inputs_all, targets_all = torch.randn(64, 4), torch.randint(0, 2, (64,))
loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=16, drop_last=True)
def block(a, b):
    return nn.Sequential(nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU())
model = nn.Sequential(block(4, 8), nn.Linear(8, 2))
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
# %%
for xb, yb in loader:
    opt.zero_grad()
    loss = F.cross_entropy(model(xb), yb)
    loss.backward()
    opt.step()
