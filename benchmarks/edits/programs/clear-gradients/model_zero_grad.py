# model.zero_grad() behind the forward pass, dropout draws as before
# offered: yes
# about: {}
# fails: out = net(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Linear(4, 9), nn.Dropout(0.3), nn.BatchNorm1d(9), nn.Linear(9, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
sched = torch.optim.lr_scheduler.StepLR(opt, 2)
data = torch.randn(30, 4).split(10)
# %%
%%time
for x in data:
    out = net(x)
    loss = out.pow(2).mean()
    net.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
