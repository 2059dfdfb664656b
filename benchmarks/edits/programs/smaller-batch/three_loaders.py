# Training, validation and test loaders with the same number; the training loop runs out
# offered: yes
# about: {"value": 8, "line": "train_dl = DataLoader(train_ds, batch_size=8, shuffle=True)"}
# fails: loss = F.cross_entropy(net(xb), yb)
# %%
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
X, y = torch.randn(60, 5), torch.randint(0, 3, (60,))
train_ds, val_ds, test_ds = random_split(TensorDataset(X, y), [40, 10, 10])
# %%
train_dl = DataLoader(train_ds, batch_size=8, shuffle=True)
val_dl = DataLoader(val_ds, batch_size=8)
test_dl = DataLoader(test_ds, batch_size=8)
# %%
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
# %%
seen = 0
for epoch in range(2):
    for xb, yb in train_dl:
        opt.zero_grad()
        loss = F.cross_entropy(net(xb), yb)
        loss.backward()
        opt.step()
        seen += len(xb)
    with torch.no_grad():
        accuracy = sum((net(xb).argmax(1) == yb).sum().item() for xb, yb in val_dl) / len(val_ds)
    print(epoch, seen)
# %%
tested = sum(len(yb) for _, yb in test_dl)
