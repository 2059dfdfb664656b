# Accelerate, with a loop that steps after each batch
# offered: no
# because: the number of steps does nothing without `accelerator.accumulate`, but divides the loss
# about: {"batch": "batch_size", "value": 4}
# fails: loss = F.mse_loss(model(xb), yb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)

class Accelerator:
    def __init__(self, gradient_accumulation_steps=1):
        self.steps = gradient_accumulation_steps
    def prepare(self, *given):
        return given
    def backward(self, loss):
        (loss / self.steps).backward()
# %%
accelerator = Accelerator()
inputs_all, targets_all = torch.randn(64, 4), torch.randn(64, 1)
loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=16, drop_last=True)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-1)
model, opt, loader = accelerator.prepare(model, opt, loader)
# %%
for xb, yb in loader:
    opt.zero_grad()
    loss = F.mse_loss(model(xb), yb)
    accelerator.backward(loss)
    opt.step()
