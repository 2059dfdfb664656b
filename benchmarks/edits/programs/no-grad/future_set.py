# A future's result is set
# offered: no
# because: a later cell goes backward from the result of the future
# about: {}
# fails: done.set_result(net(x)) if not done.done() else net(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
from concurrent.futures import Future
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
done = Future()
# %%
for x in X.split(16):
    done.set_result(net(x)) if not done.done() else net(x)
# %%
done.result().square().mean().backward()
opt.step()
