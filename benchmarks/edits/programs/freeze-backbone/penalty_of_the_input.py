# A gradient penalty on the weights of the backbone by `autograd.grad`
# offered: no
# because: gradients of its parameters are asked for
# about: {"name": "backbone", "trained": []}
# fails: loss = head(backbone(x)).square().mean()
# %%
import torch
from torch import nn

torch.manual_seed(15)
torch.set_default_dtype(torch.float64)
# %%
backbone, head = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
# %%
for x in torch.randn(6, 3).split(2):
    loss = head(backbone(x)).square().mean()
    grads = torch.autograd.grad(loss, list(backbone.parameters()), create_graph=True)
    loss = loss + 0.1 * sum(g.square().sum() for g in grads)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
