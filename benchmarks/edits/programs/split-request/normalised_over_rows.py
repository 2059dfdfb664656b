# A softmax over the rows in a sequential
# offered: no
# because: a layer goes over all rows
# about: {"way": "predicted", "model": "net", "rows": 4}
# fails: weights = net(x)
# %%
import torch
from torch import nn

torch.manual_seed(12)
torch.set_default_dtype(torch.float64)
net = nn.Sequential(nn.Linear(3, 1), nn.Softmax(dim=0)).eval()
x = torch.randn(12, 3)
# %%
with torch.no_grad():
    weights = net(x)
pooled = (weights * x).sum(0)
print(pooled.tolist(), weights.sum().item())
