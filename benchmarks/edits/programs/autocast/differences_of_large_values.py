# Values near 2000: only their differences matter, and eight bits leave nothing of these
# offered: no
# because: eight bits may not be enough for what is computed, and no text tells
# about: {}
# fails: loss = F.mse_loss(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x = 2000 + torch.randn(32, 4)
y = x[:, :1] - x[:, 1:2]
model = nn.Linear(4, 1)
with torch.no_grad():
    model.weight.copy_(torch.tensor([[1.0, -1.0, 0.0, 0.0]]))
    model.bias.zero_()
opt = torch.optim.SGD(model.parameters(), lr=1e-9)
# %%
for xb, yb in zip(x.split(8), y.split(8)):
    opt.zero_grad()
    loss = F.mse_loss(model(xb), yb)
    loss.backward()
    opt.step()
