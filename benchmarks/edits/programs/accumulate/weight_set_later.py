# The weight of the classes is set on the loss in another cell
# offered: no
# because: a mean with weights of classes is none over samples
# about: {"batch": "BS", "value": 4}
# fails: loss = criterion(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
BS = 16
ds = TensorDataset(torch.randn(64, 4), torch.randint(0, 3, (64,)))
loader = DataLoader(ds, batch_size=BS, drop_last=True)
model = nn.Linear(4, 3)
criterion = nn.CrossEntropyLoss()
opt = torch.optim.SGD(model.parameters(), lr=1e-1)
# %%
criterion.weight = torch.tensor([1.0, 5.0, 0.2])
# %%
for xb, yb in loader:
    opt.zero_grad()
    loss = criterion(model(xb), yb)
    loss.backward()
    opt.step()
