# A forward hook keeps the gradient of its layer
# offered: no
# because: it would see None
# about: {}
# fails: out = model(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
kept = []
def look(module, inputs, output):
    kept.append(module.weight.grad is None)
handle = model[0].register_forward_hook(look)
# %%
for xb in torch.randn(4, 5, 4):
    out = model(xb)
    loss = out.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
handle.remove()
