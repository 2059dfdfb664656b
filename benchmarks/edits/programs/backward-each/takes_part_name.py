# The name `part` is taken
# offered: yes
# about: {"total": "loss"}
# fails: loss += F.mse_loss(model(x), y)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
part = "one of three"
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
pairs = [(torch.randn(3, 3), torch.randn(3, 1)) for _ in range(3)]
# %%
opt.zero_grad()
loss = 0
for x, y in pairs:
    loss += F.mse_loss(model(x), y)
loss.backward()
opt.step()
# %%
print(part)
