# Features go into a bank of rows
# offered: no
# because: the bank has another type than they
# about: {}
# fails: z = encoder(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
encoder = nn.Linear(4, 8)
opt = torch.optim.SGD(encoder.parameters(), lr=0.1)
bank = torch.zeros(12, 8)
batches = torch.randn(3, 4, 4)
# %%
for n, x in enumerate(batches):
    opt.zero_grad()
    z = encoder(x)
    loss = (z - bank.mean(0)).pow(2).mean()
    loss.backward()
    opt.step()
    bank.index_copy_(0, torch.arange(4) + 4 * n, z.detach())
