# Layers with spectral normalisation
# offered: no
# because: each pass takes another step of the power iteration
# about: {"model": "disc"}
# fails: out = disc(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
from torch.nn.utils.parametrizations import spectral_norm
disc = nn.Sequential(*[nn.Sequential(spectral_norm(nn.Linear(4, 4)), nn.LeakyReLU(0.2)) for _ in range(4)])
opt = torch.optim.SGD(disc.parameters(), lr=0.1)
# %%
for x in torch.randn(3, 5, 4):
    out = disc(x)
    loss = out.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
