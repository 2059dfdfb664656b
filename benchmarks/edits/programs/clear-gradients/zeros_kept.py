# Gradients are set to zero, and a branch that is not taken decays by them
# offered: no
# because: with None the optimizer would pass over that branch
# about: {}
# fails: out = model(xb, n % 2)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleList([nn.Linear(4, 1), nn.Linear(4, 1)])
    def forward(self, x, which):
        return self.branches[which](x)
model = Branches()
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
# %%
for n, xb in enumerate(torch.randn(6, 5, 4)):
    out = model(xb, n % 2)
    loss = out.pow(2).mean()
    opt.zero_grad(set_to_none=False)
    loss.backward()
    opt.step()
