# A learner switches modes in methods, evaluation inside the step
# offered: no
# because: the mode is another one when it is computed again
# about: {}
# fails: x = x + b(x)
# %%
import torch
from torch import nn
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.f, self.d = nn.Linear(4, 4), nn.Dropout(0.5)
    def forward(self, x):
        return self.d(torch.relu(self.f(x)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
    def forward(self, x):
        for b in self.blocks:
            x = x + b(x)
        return x
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def preview(net, x):
    net.eval()
    with torch.no_grad():
        return net(x).mean().item()
# %%
shown = []
for step in range(3):
    net.train()
    x = torch.randn(5, 4)
    loss = net(x).pow(2).mean()
    shown.append(preview(net, x))
    opt.zero_grad()
    loss.backward()
    opt.step()
