# BCELoss, in another cell than the loop
# offered: no
# because: PyTorch refuses it under autocast
# about: {}
# fails: loss = criterion(model(x), y)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
criterion = nn.BCELoss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x, y in [(torch.randn(5, 4), torch.rand(5, 1)) for _ in range(3)]:
    opt.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    opt.step()
