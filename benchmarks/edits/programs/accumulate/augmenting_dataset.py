# A data set that draws its own noise
# offered: no
# because: what a data set does for each sample is not proven
# about: {"batch": "batch_size", "value": 6}
# fails: loss = criterion(model(x), y)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(1); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(48, 3), torch.randn(48, 1)
class Noisy(Dataset):
    def __len__(self):
        return 48
    def __getitem__(self, i):
        return X[i] + 0.1 * torch.randn(3), Y[i]
dl = DataLoader(Noisy(), batch_size=12, shuffle=True, drop_last=True)
model = nn.Linear(3, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
for epoch in range(2):
    for x, y in dl:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
