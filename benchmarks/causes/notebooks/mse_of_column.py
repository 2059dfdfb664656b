# nn.MSELoss of a column of predictions and a row of targets
#
# cause: huge-request
# edit: yes
# remedy: none
# gpu: 12GiB
# fails: loss = criterion(y_hat, targets)
# cure: criterion(y_hat, targets) => criterion(y_hat.squeeze(-1), targets)
# source: https://discuss.pytorch.org/t/using-a-target-size-that-is-different-to-the-input-size/38466

# %%
import torch
from torch import nn

features, targets = torch.randn(60_000, 12, device="cuda"), torch.randn(60_000, device="cuda")

# %%
regressor = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 1)).cuda()
criterion = nn.MSELoss()
optim = torch.optim.Adam(regressor.parameters())

# %%
for epoch in range(3):
    optim.zero_grad()
    y_hat = regressor(features)
    loss = criterion(y_hat, targets)
    loss.backward()
    optim.step()
