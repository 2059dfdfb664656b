# The forward of a layer is replaced
# offered: no
# because: what was put in place of `forward` looks at the whole batch
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
loader = DataLoader(TensorDataset(X, Y), batch_size=BS, drop_last=True)
model = nn.Linear(4, 1)
criterion = nn.MSELoss()
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
old = model.forward
model.forward = lambda x: old(x - x.amax(0))
# %%
for xb, yb in loader:
    opt.zero_grad()
    loss = criterion(model(xb), yb)
    loss.backward()
    opt.step()
