# A loss of one's own from small differences of logarithms
# offered: no
# because: rounded to eight bits a difference is gone
# about: {}
# fails: p = torch.softmax(model(x), 1)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Linear(4, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
def gap(p):
    return ((1000 * p).exp() / (1000 * p[:, :1]).exp()).mean()
# %%
for x in torch.randn(3, 5, 4):
    opt.zero_grad()
    p = torch.softmax(model(x), 1)
    loss = gap(p)
    loss.backward()
    opt.step()
