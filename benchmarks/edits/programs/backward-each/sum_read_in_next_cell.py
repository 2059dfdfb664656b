# The sum goes on in the next cell
# offered: no
# because: it needs its graph there
# about: {"total": "loss"}
# fails: loss += model(x).pow(2).mean()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
xs = torch.randn(4, 2, 3)
# %%
opt.zero_grad()
loss = 0
for x in xs:
    loss += model(x).pow(2).mean()
loss.backward()
opt.step()
# %%
print(loss.requires_grad, loss)
