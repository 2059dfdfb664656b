# Batches come from a generator, whose length nobody knows
# offered: no
# because: whether the last batches make a step cannot be told
# about: {"batch": "batch_size", "value": 4}
# fails: loss = F.mse_loss(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(60, 4), torch.randn(60, 1)
def batches(batch_size=16):
    order = torch.randperm(len(X))
    for start in range(0, len(X), batch_size):
        rows = order[start:start + batch_size]
        yield X[rows], Y[rows]
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
# %%
for xb, yb in batches():
    opt.zero_grad()
    loss = F.mse_loss(model(xb), yb)
    loss.backward()
    opt.step()
