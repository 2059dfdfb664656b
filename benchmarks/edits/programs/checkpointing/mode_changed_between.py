# Dropout's mode is changed between forward and backward
# offered: no
# because: it would be computed again without dropout
# about: {"model": "model"}
# fails: out = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
model = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)) for _ in range(4)])
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in X.split(16):
    opt.zero_grad()
    out = model(x)
    model.eval()
    out.square().mean().backward()
    model.train()
    opt.step()
