# A function given to model.apply puts hooks
# offered: no
# because: what was put in place of `forward` counts its passes
# about: {"model": "model"}
# fails: out = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
norms = []
def watch(m):
    m.forward = (lambda old: lambda x: (norms.append(1), old(x))[1])(m.forward)
model = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(4)])
for m in model:
    m.apply(watch)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in X.split(16):
    opt.zero_grad()
    out = model(x)
    out.square().mean().backward()
    opt.step()
print(len(norms))
