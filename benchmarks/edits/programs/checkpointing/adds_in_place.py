# Blocks add to their input in place
# offered: no
# because: computed again they add to it once more
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
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        x += 0.5
        return torch.sin(self.lin(x))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.blocks = nn.Linear(4, 4), nn.ModuleList([Block() for _ in range(3)])
    def forward(self, x):
        x = self.stem(x)
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
