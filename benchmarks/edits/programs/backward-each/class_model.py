# A model of one's own, with a residual connection
# offered: yes
# about: {"total": "loss"}
# fails: loss = loss + F.l1_loss(net(x), y)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
# %%
xs, ys = torch.randn(4, 6, 3), torch.randn(4, 6, 3)
for _ in range(2):
    opt.zero_grad()
    loss = 0
    for x, y in zip(xs, ys):
        loss = loss + F.l1_loss(net(x), y)
    (loss / len(xs)).backward()
    opt.step()
