# A hook keeps what a layer gave, which is read behind the call
# offered: no
# because: the hook would keep the last part alone
# about: {"way": "predicted", "model": "net", "rows": 4}
# fails: y = net(x)
# %%
import torch
from torch import nn

torch.manual_seed(18)
torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)).eval()
kept = {}
net[1].register_forward_hook(lambda m, i, o: kept.update(hidden=o))
x = torch.randn(10, 3)
# %%
with torch.no_grad():
    y = net(x)
print(kept["hidden"].shape, y.sum().item())
