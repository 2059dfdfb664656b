# The norm of all gradients is logged at each step
# offered: no
# because: the gradients of the backbone are read
# about: {"name": "backbone", "trained": []}
# fails: z = backbone(x)
# %%
import torch
from torch import nn

torch.manual_seed(6)
torch.set_default_dtype(torch.float64)
# %%
backbone = nn.Linear(4, 8)
head = nn.Linear(8, 2)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
norms = []
# %%
for x in torch.randn(9, 4).split(3):
    z = backbone(x)
    loss = head(z.relu()).logsumexp(-1).mean()
    backbone.zero_grad()
    opt.zero_grad()
    loss.backward()
    params = [*backbone.parameters(), *head.parameters()]
    norms.append(torch.stack([p.grad.norm() for p in params]).norm().item())
    opt.step()
print(norms)
