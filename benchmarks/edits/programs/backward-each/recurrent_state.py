# A state goes from round to round
# offered: no
# because: the rounds have one graph
# about: {"total": "loss"}
# fails: loss += F.mse_loss(out, target)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
cell = nn.GRUCell(3, 4)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
xs, target = torch.randn(5, 2, 3), torch.randn(2, 4)
# %%
opt.zero_grad()
h = torch.zeros(2, 4)
loss = 0
for x in xs:
    h = cell(x, h)
    out = h * 2
    loss += F.mse_loss(out, target)
loss.backward()
opt.step()
