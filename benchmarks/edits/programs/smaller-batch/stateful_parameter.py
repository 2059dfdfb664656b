# One weight for each place of a batch: a parameter has the number in its shape
# offered: no
# because: the parameter would have another shape
# about: {"value": 5}
# fails: out = weights[:, None] * body(x)
# %%
import torch
from torch import nn
BS = 5
body = nn.Linear(3, 2)
weights = nn.Parameter(torch.ones(BS))
opt = torch.optim.SGD([weights, *body.parameters()], lr=0.1)
loader = torch.utils.data.DataLoader(torch.randn(20, 3), batch_size=BS)
# %%
for x in loader:
    out = weights[:, None] * body(x)
    loss = out.pow(2).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
