# The weights are changed between forward and backward
# offered: no
# because: it would be computed again with other weights
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
    opt.zero_grad()
    out = model(x)
    model.eval()
    for p in model.parameters():
        p.data = p.data * 0.9
    out.square().mean().backward()
    opt.step()
    model.train()
