# zero_grad stands behind the loop, and gradients are clipped
# offered: yes
# about: {"total": "total"}
# fails: total += F.cross_entropy(net(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
net = nn.Linear(4, 3)
opt = torch.optim.Adam(net.parameters(), lr=0.05)
loader = DataLoader(TensorDataset(torch.randn(24, 4), torch.randint(0, 3, (24,))), batch_size=6, shuffle=True)
# %%
for epoch in range(2):
    total = 0.0
    for xb, yb in loader:
        total += F.cross_entropy(net(xb), yb)
    opt.zero_grad()
    (total / len(loader)).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
