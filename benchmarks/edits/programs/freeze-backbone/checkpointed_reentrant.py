# Backbone and head in one reentrant checkpoint
# offered: no
# because: what is checkpointed so gets no gradients where no input needs any
# about: {"name": "backbone", "trained": []}
# fails: out = checkpoint(both, backbone(x), use_reentrant=True)
# %%
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(13)
torch.set_default_dtype(torch.float64)
# %%
backbone, head = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.SGD(head.parameters(), lr=0.1)


def both(h):
    return head(h.tanh())


# %%
for x in torch.randn(6, 3).split(2):
    out = checkpoint(both, backbone(x), use_reentrant=True)
    opt.zero_grad()
    out.square().mean().backward()
    opt.step()
print(head.weight.sum().item())
