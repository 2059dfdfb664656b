# First the head alone, then all: the next cell makes another optimizer
# offered: no
# because: a later cell trains the backbone
# about: {"name": "backbone", "trained": []}
# fails: loss = model_loss(x) #1
# %%
import torch
from torch import nn

torch.manual_seed(8)
torch.set_default_dtype(torch.float64)
# %%
backbone, head = nn.Linear(3, 6), nn.Linear(6, 1)
xs = torch.randn(8, 3).split(4)


def model_loss(x):
    return (head(backbone(x).tanh()) - x.sum(-1, keepdim=True)).square().mean()


# %%
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for x in xs:
    loss = model_loss(x)
    opt.zero_grad()
    loss.backward()
    opt.step()
# %%
opt = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.01)
for x in xs:
    loss = model_loss(x)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(backbone.weight.sum().item())
