# The model keeps its last features in itself
# offered: no
# because: they would be bfloat16 for whoever reads them
# about: {}
# fails: loss = model(x).pow(2).mean()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.features = None
    def forward(self, x):
        self.features = self.lin(x)
        return torch.relu(self.features)
model = Keeps()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x in torch.randn(3, 5, 4):
    opt.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()
    opt.step()
# %%
seen = model.features.detach().numpy().shape
