# The inputs' gradient is taken through it
# offered: yes
# about: {"model": "model"}
# fails: out = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
model = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(4)])
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in X.split(16):
    x = x.clone().requires_grad_(True)
    opt.zero_grad()
    out = model(x)
    g, = torch.autograd.grad(out.sum(), x, create_graph=True)
    (out.square().mean() + g.square().mean()).backward()
    opt.step()
