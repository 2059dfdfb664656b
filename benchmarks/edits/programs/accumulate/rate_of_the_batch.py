# The rate by a default of a function reads the batch in an f-string
# offered: no
# because: the rate would become smaller with the batch
# about: {"batch": "BS", "value": 4}
# fails: loss = F.cross_entropy(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
BS = 16
loader = DataLoader(TensorDataset(X, Y.gt(0).long()[:, 0]), batch_size=BS, drop_last=True)
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=float(f"{BS / 256:.3f}"))
# %%
for xb, yb in loader:
    opt.zero_grad()
    loss = F.cross_entropy(model(xb), yb)
    loss.backward()
    opt.step()
