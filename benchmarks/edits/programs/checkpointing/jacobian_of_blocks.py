# The Jacobian of a model, by `torch.func.jacrev`
# offered: no
# because: `torch.func` raises an error in a checkpoint
# about: {}
# fails: h = layer(h).relu()
# %%
import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
    def forward(self, h):
        for layer in self.layers:
            h = layer(h).relu()
        return h
model = Net()
# %%
J = torch.func.jacrev(model)(torch.ones(3))
det = torch.linalg.det(J).item()
