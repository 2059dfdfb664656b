# Loaders come out of a registry by a name that is computed; several have the number
# offered: no
# because: nobody can tell which of the two numbers is the training's
# about: {"value": 16}
# fails: loss = step(b)
# %%
import torch
from torch.utils.data import DataLoader

REGISTRY = {}

def register(cls):
    REGISTRY[cls.__name__.lower()] = cls()
    return cls

@register
class Train:
    loader = DataLoader(torch.randn(64, 3), batch_size=16)

@register
class Valid:
    loader = DataLoader(torch.randn(32, 3), batch_size=16)
# %%
w = torch.nn.Parameter(torch.zeros(3))
opt = torch.optim.SGD([w], lr=0.1)

def step(b):
    loss = ((b @ w - 1) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    return loss.item()
# %%
phase = "".join(["tr", "ain"])
stream = getattr(REGISTRY[phase], "loa" + "der")
for b in stream:
    loss = step(b)
