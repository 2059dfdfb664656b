# dir() asks which names there are
# offered: no
# because: `dir()` tells which names there are
# about: {"names": ["out"], "where": "loop"}
# fails: out = net(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
net = nn.Linear(4, 1)
# %%
for x in X.split(16):
    out = net(x)
# %%
print("out" in dir())
