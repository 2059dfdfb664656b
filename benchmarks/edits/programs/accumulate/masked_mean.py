# A mean over what is no padding
# offered: no
# because: parts have other numbers of entries that count
# about: {"batch": "batch_size", "value": 8}
# fails: err = (net(xb) - yb) ** 2 * mb
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(3); torch.set_default_dtype(torch.float64)
X, Y, M = torch.randn(64, 5), torch.randn(64, 4), (torch.rand(64, 4) > 0.4).double()
loader = DataLoader(TensorDataset(X, Y, M), batch_size=16)
net = nn.Linear(5, 4)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
# %%
for epoch in range(2):
    for xb, yb, mb in loader:
        err = (net(xb) - yb) ** 2 * mb
        loss = err.sum() / mb.sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
