# The sequence is called in a function, and evaluated in another cell
# offered: yes
# about: {"model": "model"}
# fails: pred = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
layers = []
for _ in range(4):
    layers += [nn.Linear(6, 6), nn.LayerNorm(6), nn.SiLU()]
model = nn.Sequential(*layers)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
def step(x, y):
    opt.zero_grad()
    pred = model(x)
    loss = F.smooth_l1_loss(pred, y)
    loss.backward()
    opt.step()
    return loss.item()
# %%
losses = [step(torch.randn(3, 6), torch.randn(3, 6)) for _ in range(3)]
# %%
with torch.no_grad():
    score = model(torch.ones(2, 6)).sum().item()
