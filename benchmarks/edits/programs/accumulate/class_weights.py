# Classes are weighted in the loss, as for rare ones
# offered: no
# because: a mean that is weighted by the classes of a batch is none of its parts
# about: {"batch": "batch_size", "value": 8}
# fails: loss = criterion(model(xb), yb)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(3); torch.set_default_dtype(torch.float64)
X, y = torch.randn(64, 5), torch.randint(0, 3, (64,))
train_loader = DataLoader(TensorDataset(X, y), batch_size=16, shuffle=True)
counts = torch.bincount(y, minlength=3).double()
criterion = nn.CrossEntropyLoss(weight=counts.sum() / counts)
model = nn.Linear(5, 3)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
# %%
for epoch in range(2):
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
