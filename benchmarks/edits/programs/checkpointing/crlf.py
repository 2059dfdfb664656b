# Windows line ends, enumerate over the layers
# offered: yes
# about: {}
# fails: x = torch.relu(layer(x))
# %%
import torch
from torch import nn
torch.manual_seed(0)
class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(5, 5) for _ in range(4))
    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = torch.relu(layer(x))
        return x
# %%
model = MLP()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.randn(3, 4, 5):
    loss = model(x).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
