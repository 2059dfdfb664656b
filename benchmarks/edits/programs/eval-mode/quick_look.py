# Every fifth step looks at the validation set inside the training loop
# offered: yes
# about: {"model": "net"}
# fails: val = crit(net(X), Y).item()
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.0), nn.Linear(8, 1))
crit, modes = nn.MSELoss(), []
opt = torch.optim.SGD(net.parameters(), lr=0.1)
# %%
net.train()
for i, (x, y) in enumerate(zip(X.split(16), Y.split(16)), start=1):
    modes.append(net.training)
    opt.zero_grad()
    crit(net(x), y).backward()
    opt.step()
    if i % 2 == 0:
        val = crit(net(X), Y).item()
print(modes)
