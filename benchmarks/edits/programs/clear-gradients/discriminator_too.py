# A second backward pass stands in what computes the loss
# offered: no
# because: its gradients are to be cleared, too
# about: {}
# fails: fake = gen(z)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
gen, disc = nn.Linear(3, 4), nn.Linear(4, 1)
g_opt = torch.optim.SGD(gen.parameters(), lr=0.1)
d_opt = torch.optim.SGD(disc.parameters(), lr=0.1)
def d_step(real, fake):
    d_opt.zero_grad()
    d_loss = (disc(fake.detach()) - disc(real)).mean() + gen(torch.ones(1, 3)).mean()
    torch.autograd.backward(d_loss)
    d_opt.step()
    return -disc(fake).mean()
# %%
for z in torch.randn(4, 5, 3):
    fake = gen(z)
    loss = d_step(torch.randn(5, 4), fake)
    g_opt.zero_grad()
    loss.backward()
    g_opt.step()
