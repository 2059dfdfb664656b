# One image without a dimension for the batch: its rows are channels
# offered: no
# because: what is split would be the channels
# about: {"way": "predicted", "model": "net", "rows": 1}
# fails: y = net(image)
# %%
import torch
from torch import nn

torch.manual_seed(13)
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()).eval()
image = torch.randn(3, 8, 8)
# %%
with torch.no_grad():
    y = net(image)
print(y.shape)
