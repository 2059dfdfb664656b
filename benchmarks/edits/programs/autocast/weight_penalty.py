# A penalty on the weights is added to the loss
# offered: no
# because: eight bits may not be enough for what is computed, and no text tells
# about: {}
# fails: loss = loss_fn(model(x), y) + 1e-3 * model.weight.abs().sum()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Linear(4, 2)
loss_fn = nn.SmoothL1Loss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [(torch.randn(5, 4), torch.randn(5, 2)) for _ in range(3)]
# %%
for x, y in batches:
    opt.zero_grad()
    loss = loss_fn(model(x), y) + 1e-3 * model.weight.abs().sum()
    loss.backward()
    opt.step()
