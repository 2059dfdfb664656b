# The name of the function is that of a saved state
# offered: no
# because: the import would take its place
# about: {}
# fails: x = block(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
model = Net()
# %%
checkpoint = {"model": {k: v.clone() for k, v in model.state_dict().items()}, "epoch": 3}
# %%
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.randn(3, 5, 4):
    loss = model(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
# %%
print(checkpoint["epoch"])
