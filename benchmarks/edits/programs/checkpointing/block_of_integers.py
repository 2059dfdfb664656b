# A block prints, and remembers what it saw
# offered: no
# because: it would print twice
# about: {}
# fails: h = layer(h)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Layer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin, self.n, self.log = nn.Linear(4, 4), n, []
    def forward(self, h):
        print("layer", self.n)
        self.log.append(tuple(h.shape))
        return self.lin(h).relu()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(n) for n in range(3)])
    def forward(self, h):
        for layer in self.layers:
            h = layer(h)
        return h
model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in torch.randn(2, 5, 4):
    loss = model(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
