# A layer draws noise with NumPy
# offered: no
# because: its draws do not come again, so gradients are those of another pass
# about: {"model": "net"}
# fails: loss = net(x).pow(2).mean()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
import numpy as np
np.random.seed(0)
class Noise(nn.Module):
    def forward(self, x):
        return x * torch.as_tensor(np.random.rand(*x.shape), dtype=x.dtype)
net = nn.Sequential(nn.Linear(4, 4), Noise(), nn.Linear(4, 4), Noise(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
# %%
for x in torch.randn(3, 5, 4):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
after = np.random.rand()
