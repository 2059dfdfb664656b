# A layer scales itself by the gradient that its weight has
# offered: no
# because: the forward pass reads what would be cleared
# about: {}
# fails: pred = model(xb)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
class Adaptive(nn.Linear):
    def forward(self, x):
        out = super().forward(x)
        if self.weight.grad is not None:
            out = out / (1 + self.weight.grad.norm())
        return out
model = Adaptive(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.randn(5, 6, 4)
# %%
for xb in data:
    pred = model(xb)
    loss = pred.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
