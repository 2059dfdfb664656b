# The model is in float16 already
# offered: no
# because: it does not gain, and its gradients are scaled by hand
# about: {}
# fails: loss = net(x).float().pow(2).mean()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
net = nn.Linear(4, 2).bfloat16()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
# %%
for x in torch.randn(3, 5, 4).bfloat16():
    opt.zero_grad()
    loss = net(x).float().pow(2).mean()
    loss.backward()
    opt.step()
