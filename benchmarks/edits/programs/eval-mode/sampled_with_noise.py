# An image-to-image generator whose noise is its dropout, sampled in training mode
# offered: no
# because: a function put it into training mode to sample
# about: {"model": "G"}
# fails: samples = torch.cat([G(x) for x in inputs])
# %%
import torch
from torch import nn

torch.manual_seed(15)
G = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Tanh(), nn.Linear(8, 4))


def noisy(module):
    for each in module.modules():
        if isinstance(each, nn.Dropout):
            each.train()
    return module


G = noisy(G.eval())
inputs = torch.randn(6, 4).split(2)
# %%
samples = torch.cat([G(x) for x in inputs])
# %%
print([each.training for each in G])
