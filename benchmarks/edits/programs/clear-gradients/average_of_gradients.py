# An average of the gradients is taken in the pass, by a decorated function
# offered: no
# because: the decorator reads what would be cleared
# about: {}
# fails: out = forward(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
seen = []
def watched(function):
    def inner(*given):
        seen.append(sum(0.0 if p.grad is None else p.grad.sum().item() for p in model.parameters()))
        return function(*given)
    return inner
@watched
def forward(x):
    return model(x)
# %%
for xb in torch.randn(4, 5, 4):
    out = forward(xb)
    loss = out.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
