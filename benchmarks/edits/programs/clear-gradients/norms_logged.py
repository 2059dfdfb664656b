# The gradients of the step before are logged beside the loss
# offered: no
# because: they would be None
# about: {}
# fails: pred = model(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
loader = DataLoader(TensorDataset(torch.randn(24, 4), torch.randn(24, 1)), batch_size=8)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
log = []
# %%
for xb, yb in loader:
    pred = model(xb)
    loss = F.mse_loss(pred, yb)
    if model.weight.grad is not None:
        log.append(model.weight.grad.norm().item())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(log)
