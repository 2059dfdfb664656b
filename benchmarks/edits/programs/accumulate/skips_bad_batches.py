# Batches without a finite loss are skipped
# offered: no
# because: with `continue` the number of parts that make a step is another
# about: {"batch": "batch_size", "value": 4}
# fails: loss = F.mse_loss(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
x = torch.randn(64, 4); x[3] = float("nan")
loader = DataLoader(TensorDataset(x, torch.randn(64, 1)), batch_size=16, drop_last=True)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
# %%
for xb, yb in loader:
    opt.zero_grad()
    loss = F.mse_loss(model(xb), yb)
    if not torch.isfinite(loss):
        continue
    loss.backward()
    opt.step()
