# The optimizer lives in an object and has all parameters, under another name
# offered: no
# because: a living optimizer trains the backbone
# about: {"name": "backbone", "trained": []}
# fails: out = head(backbone(x))
# %%
import torch
from torch import nn

torch.manual_seed(12)
torch.set_default_dtype(torch.float64)


class Run:
    def __init__(self, *modules):
        self.params = [p for m in modules for p in m.parameters()]
        self.opt = torch.optim.Adam(self.params, lr=0.01)


# %%
backbone, head = nn.Linear(3, 4), nn.Linear(4, 1)
run = Run(backbone, head)
# %%
for x in torch.randn(6, 3).split(2):
    out = head(backbone(x))
    run.opt.zero_grad()
    out.square().mean().backward()
    run.opt.step()
print(backbone.weight.sum().item())
