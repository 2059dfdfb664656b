# The statistics of BatchNorm are made anew by running the data once
# offered: no
# because: the pass in training mode is there for its effect on buffers
# about: {"model": "net"}
# fails: net(x)
# %%
import torch
from torch import nn

torch.manual_seed(11)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4, momentum=None))
data = torch.randn(12, 3).split(4)
net[1].reset_running_stats()
# %%
with torch.no_grad():
    for x in data:
        net(x)
# %%
stats = net[1].running_mean.tolist()
print(stats, net[1].num_batches_tracked.item())
