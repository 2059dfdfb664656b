# A function unfreezes the backbone in the second epoch
# offered: no
# because: something is said of `requires_grad` already, and it changes
# about: {"name": "backbone", "trained": []}
# fails: out = head(backbone(x))
# %%
import torch
from torch import nn

torch.manual_seed(9)
torch.set_default_dtype(torch.float64)


def unfreeze(module, optimizer):
    module.requires_grad_(True)
    optimizer.add_param_group({"params": module.parameters(), "lr": 0.01})


# %%
backbone, head = nn.Linear(3, 5), nn.Linear(5, 1)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
# %%
for epoch in range(2):
    if epoch == 1:
        unfreeze(backbone, opt)
    for x in torch.ones(4, 3).split(2):
        out = head(backbone(x))
        opt.zero_grad()
        out.square().mean().backward()
        opt.step()
print(backbone.weight.sum().item())
