# A sequence of layers, called in the loop
# offered: yes
# about: {"model": "model"}
# fails: out = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Sequential(*[nn.Sequential(nn.Linear(6, 6), nn.Tanh()) for _ in range(6)])
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in torch.randn(3, 5, 6):
    opt.zero_grad()
    out = model(x)
    loss = out.pow(2).mean()
    loss.backward()
    opt.step()
