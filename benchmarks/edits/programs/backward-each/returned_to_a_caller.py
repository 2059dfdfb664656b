# The sum is returned with its graph
# offered: no
# because: what the caller does with it is not known
# about: {"total": "loss"}
# fails: loss += model(x).pow(2).mean()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
def step(xs):
    loss = 0
    for x in xs:
        loss += model(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss
# %%
losses = [step(torch.randn(4, 2, 3)) for _ in range(2)]
print([each.grad_fn is not None for each in losses])
