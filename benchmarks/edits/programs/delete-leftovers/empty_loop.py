# The loop may have no round
# offered: yes
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
def score(parts):
    n = 0
    for x in parts:
        out = net(x)
        n += len(out)
    return n
# %%
print(score(X.split(16)), score([]))
