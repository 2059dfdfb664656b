# A batch may be skipped before the gradients are cleared
# offered: no
# because: those of the step before would not be there any more for what follows
# about: {}
# fails: out = model(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.randn(5, 6, 4); data[4, 0] = float("nan")
# %%
for xb in data:
    out = model(xb)
    loss = out.pow(2).mean()
    if torch.isnan(loss):
        continue
    opt.zero_grad()
    loss.backward()
    opt.step()
# %%
print(model.weight.grad.norm().item())
