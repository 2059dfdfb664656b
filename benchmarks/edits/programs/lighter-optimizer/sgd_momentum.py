# SGD with momentum and a scheduler per epoch
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
import torch.optim as optim
opt = optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
sched = optim.lr_scheduler.StepLR(opt, 1, gamma=0.5)
for epoch in range(3):
    for i in range(0, 20, 5):
        loss = (net(X[i:i + 5]) - y[i:i + 5]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
