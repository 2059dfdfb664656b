# Blocks in a list, one after the other
# offered: yes
# about: {}
# fails: x = block(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm, self.lin = nn.LayerNorm(d), nn.Linear(d, d)

    def forward(self, x):
        return x + F.gelu(self.lin(self.norm(x)))

class Net(nn.Module):
    def __init__(self, d=8, depth=4):
        super().__init__()
        self.embed = nn.Linear(3, d)
        self.blocks = nn.ModuleList([Block(d) for _ in range(depth)])
        self.head = nn.Linear(d, 1)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)
# %%
model = Net()
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
# %%
for x, y in [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(3)]:
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
