# A hook of the backbone collects statistics of its gradients
# offered: no
# because: a hook is called with the gradients
# about: {"name": "backbone", "trained": []}
# fails: z = head(backbone(x))
# %%
import torch
from torch import nn

torch.manual_seed(14)
torch.set_default_dtype(torch.float64)
seen = []
# %%
backbone, head = nn.Linear(3, 4), nn.Linear(4, 1)
backbone.weight.register_hook(lambda g: seen.append(g.abs().mean().item()))
opt = torch.optim.SGD(head.parameters(), lr=0.1)
# %%
for x in torch.randn(6, 3).split(2):
    z = head(backbone(x))
    opt.zero_grad()
    z.square().mean().backward()
    opt.step()
print(seen)
