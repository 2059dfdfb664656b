# A hook clamps the gradient of a weight
# offered: no
# because: it would clamp each part, not the sum
# about: {"total": "loss"}
# fails: loss += model(x).mean()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Linear(3, 1)
model.weight.register_hook(lambda grad: grad.clamp(-0.1, 0.1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
xs = torch.randn(4, 2, 3)
# %%
opt.zero_grad()
loss = 0
for x in xs:
    loss += model(x).mean()
loss.backward()
opt.step()
