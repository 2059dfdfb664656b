# A sequential that ends in a recurrent layer, which gives a tuple
# offered: no
# because: its output is a tuple, and its batch is not the first dimension
# about: {"way": "predicted", "model": "net", "rows": 3}
# fails: out, h = net(seq)
# %%
import torch
from torch import nn

torch.manual_seed(11)
net = nn.Sequential(nn.Linear(4, 4), nn.GRU(4, 5)).eval()
seq = torch.randn(9, 2, 4)
# %%
with torch.no_grad():
    out, h = net(seq)
print(out.shape, h.sum().item())
