# A while loop that counts its own steps
# offered: yes
# about: {}
# fails: y_hat = model(X)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, y = torch.randn(12, 3), torch.randn(12, 1)
model = nn.Linear(3, 1)
opt = torch.optim.LBFGS
opt = torch.optim.SGD(model.parameters(), lr=0.05)
# %%
n = 0
while n < 5:
    y_hat = model(X)
    loss = F.mse_loss(y_hat, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    n += 1
