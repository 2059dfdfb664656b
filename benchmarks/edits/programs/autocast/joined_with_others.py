# Outputs are put beside kept ones of full precision, in place
# offered: no
# because: the types would not agree
# about: {}
# fails: out = model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
mean = torch.zeros(5, 2)
# %%
for x in torch.randn(3, 5, 4):
    opt.zero_grad()
    out = model(x)
    loss = F.mse_loss(out, torch.ones(5, 2))
    loss.backward()
    opt.step()
    mean = torch.lerp(mean, out.detach(), 0.1)
