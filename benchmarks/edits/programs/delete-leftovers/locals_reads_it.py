# A bar is shown what is left by locals()
# offered: no
# because: `locals()` reads it by its name
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
    for x in parts:
        out = net(x)
    return "{out.shape}".format(**locals())
# %%
print(score(X.split(16)))
