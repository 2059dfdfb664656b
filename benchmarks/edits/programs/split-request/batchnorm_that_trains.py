# BatchNorm in training mode
# offered: no
# because: the mean of a part is not that of all
# about: {"way": "predicted", "model": "net", "rows": 8}
# fails: z = net(x)
# %%
import torch
from torch import nn

torch.manual_seed(14)
torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
x = torch.randn(32, 3)
# %%
with torch.no_grad():
    z = net(x)
print(z.std().item(), net[1].running_mean.tolist())
