# Adam, all parameters
# offered: yes
# about: {}
# fails: opt.step()
# %%
import torch
from torch import nn
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
X, y = torch.randn(20, 4), torch.randn(20, 1)
net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))

# %%
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    for i in range(0, 20, 5):
        loss = (net(X[i:i + 5]) - y[i:i + 5]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
