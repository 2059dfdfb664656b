# The forward pass writes into a buffer of its own type
# offered: no
# because: with index_put and in place the types would have to agree
# about: {}
# fails: out = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Scatter(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        h = self.lin(x)
        out = torch.zeros(len(x), 8)
        out.index_add_(1, torch.tensor([0, 2, 4, 6]), h)
        return out
model = Scatter()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in torch.randn(3, 5, 4):
    opt.zero_grad()
    out = model(x)
    loss = out.pow(2).mean()
    loss.backward()
    opt.step()
