# The model keeps its state in itself
# offered: no
# because: the rounds have one graph
# about: {"total": "loss"}
# fails: loss += model(x).pow(2).mean()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
class Stateful(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.h = nn.RNNCell(3, 4), torch.zeros(2, 4)
    def forward(self, x):
        self.h = self.cell(x, self.h)
        return self.h
model = Stateful()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
xs = torch.randn(4, 2, 3)
# %%
opt.zero_grad()
loss = 0
for x in xs:
    loss += model(x).pow(2).mean()
loss.backward()
opt.step()
model.h = model.h.detach()
