# Adagrad, a moving average of the weights beside it
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
import copy
average = copy.deepcopy(net)
opt = torch.optim.Adagrad(net.parameters(), lr=0.1, weight_decay=1e-3)
for i in range(0, 20, 5):
    loss = (net(X[i:i + 5]) - y[i:i + 5]).pow(2).mean()
    opt.zero_grad(); loss.backward()
    opt.step()
    with torch.no_grad():
        for a, p in zip(average.parameters(), net.parameters()):
            a.lerp_(p, 0.1)
