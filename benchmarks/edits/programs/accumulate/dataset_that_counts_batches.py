# `__getitems__` of a data set changes with each batch it is asked for
# offered: no
# because: the data set counts the batches that it is asked for
# about: {"batch": "batch_size", "value": 6}
# fails: loss = criterion(model(x), y)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(1); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(48, 3), torch.randn(48, 1)
class Fetched(Dataset):
    def __init__(self):
        self.batches = 0
    def __len__(self):
        return 48
    def __getitems__(self, idx):
        self.batches += 1
        scale = 1.0 / self.batches
        return [(X[i] * scale, Y[i]) for i in idx]
data = Fetched()
dl = DataLoader(data, batch_size=12, shuffle=True, drop_last=True)
model = nn.Linear(3, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for x, y in dl:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
