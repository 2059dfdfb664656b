# A penalty over the weights of the head is added to the loss by hand
# offered: yes
# about: {"name": "base", "trained": []}
# fails: out = top(base(x))
# %%
import torch
from torch import nn

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
# %%
base = nn.Linear(3, 6)
top = nn.Linear(6, 1)
opt = torch.optim.SGD(top.parameters(), lr=0.1)
# %%
for x in torch.randn(8, 3).split(4):
    out = top(base(x))
    loss = out.square().mean() + 1e-3 * sum(p.square().sum() for p in top.parameters())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
