# The backbone is trained by hand, without an optimizer
# offered: no
# because: a function of the notebook reads and uses its gradients
# about: {"name": "trunk", "trained": []}
# fails: y = head(trunk(x))
# %%
import torch
from torch import nn

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)


def sgd(module, lr):
    for p in module.parameters():
        p.data.sub_(lr * p.grad)
        p.grad = None


# %%
trunk, head = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
# %%
for x in torch.randn(6, 3).split(2):
    y = head(trunk(x))
    opt.zero_grad()
    y.square().mean().backward()
    opt.step()
    sgd(trunk, 0.05)
print(trunk.weight.sum().item())
