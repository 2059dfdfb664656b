# A block counts how often it is called
# offered: no
# because: it would be called twice a step
# about: {}
# fails: x = block(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.calls = nn.Linear(4, 4), 0
    def forward(self, x):
        self.calls += 1
        return torch.tanh(self.lin(x))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(3)])
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in torch.randn(3, 5, 4):
    loss = model(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print([each.calls for each in model.blocks])
