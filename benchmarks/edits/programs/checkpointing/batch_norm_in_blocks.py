# Blocks with batch normalisation, in a class of one's own
# offered: no
# because: its running statistics would move twice a step
# about: {}
# fails: x = block(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(c, c, 3, padding=1), nn.BatchNorm2d(c)
    def forward(self, x):
        return x + torch.relu(self.bn(self.conv(x)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3)
        self.blocks = nn.ModuleList([Block(4) for _ in range(3)])
    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return x.mean((1, 2, 3))
model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in torch.randn(3, 2, 1, 6, 6):
    loss = model(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
