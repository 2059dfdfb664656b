# A heap keeps the outputs
# offered: no
# because: a later cell goes backward from what the heap has
# about: {}
# fails: heappush(heap, (i, net(x)))
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
from heapq import heappush
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
heap = []
# %%
for i, x in enumerate(X.split(16)):
    heappush(heap, (i, net(x)))
# %%
heap[0][1].square().mean().backward()
opt.step()
