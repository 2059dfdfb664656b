# The whole model is in one checkpoint, which saves nothing
# offered: yes
# about: {"model": "model"}
# fails: out = checkpoint(model, x, use_reentrant=False)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
from torch.utils.checkpoint import checkpoint
model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(6)])
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in torch.randn(3, 5, 4):
    opt.zero_grad()
    out = checkpoint(model, x, use_reentrant=False)
    loss = out.pow(2).mean()
    loss.backward()
    opt.step()
