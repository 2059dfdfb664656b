# A function that is called in between reads the gradients
# offered: no
# because: the clipping follows the norms of the step before
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
def grad_norm():
    found = [p.grad.norm() for p in model.parameters() if p.grad is not None]
    return torch.stack(found).sum().item() if found else 1.0
data = torch.randn(5, 6, 4)
# %%
for xb in data:
    out = model(xb)
    loss = out.pow(2).mean() / max(1.0, grad_norm())
    opt.zero_grad()
    loss.backward()
    opt.step()
