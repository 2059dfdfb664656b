# An `embed` function stands in a table of functions that a training loop uses
# offered: no
# because: the function is stored, and what it returns is trained
# about: {}
# fails: return encoder(x).mean(0, keepdim=True)
# %%
from functools import partial

import torch
from torch import nn

torch.manual_seed(19)
torch.set_default_dtype(torch.float64)
encoder = nn.Linear(3, 4)


def embed(encoder, x):
    return encoder(x).mean(0, keepdim=True)


VIEWS = {"plain": partial(embed, encoder), "flipped": lambda x: embed(encoder, x.flip(-1))}
# %%
opt = torch.optim.SGD(encoder.parameters(), lr=0.1)
x = torch.randn(5, 3)
for _ in range(3):
    z = {name: view(x) for name, view in VIEWS.items()}
    loss = (z["plain"] - z["flipped"]).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
