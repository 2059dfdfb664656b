# In a loop over batches, with a criterion
# offered: yes
# about: {"column": "output", "row": "yb", "result": "last", "expected": "meant"}
# fails: loss = criterion(output, yb)
# %%
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
model, criterion = nn.Linear(3, 1), nn.SmoothL1Loss()
X, Y = torch.randn(12, 3), torch.randn(12)
opt = torch.optim.SGD(model.parameters(), lr=0.0)
# %%
for xb, yb in zip(X.split(4), Y.split(4)):
    output = model(xb)
    loss = criterion(output, yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
last = loss.item()
# %%
meant = criterion(model(X[8:])[:, 0], Y[8:]).item()
print(type(last).__name__)
