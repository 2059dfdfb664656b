# The optimizer is made anew in between
# offered: no
# because: at the new place it is the one before
# about: {}
# fails: out = model(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Linear(4, 1)
other = nn.Linear(4, 1)
opt = torch.optim.SGD(other.parameters(), lr=0.1)
# %%
for n, xb in enumerate(torch.randn(4, 5, 4)):
    out = model(xb)
    loss = out.pow(2).mean()
    if n == 0:
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
