# A GAN: gradients of the critic come from the generator's loss as well
# offered: no
# because: gradients of the critic come from two losses
# about: {}
# fails: d_loss = D(G(z).detach()).mean() - D(x).mean()
# %%
import torch
from torch import nn
torch.manual_seed(0)
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
og, od = torch.optim.Adam(G.parameters(), lr=0.01), torch.optim.Adam(D.parameters(), lr=0.01)
# %%
for x in torch.randn(4, 5, 3):
    z = torch.randn(5, 2)
    d_loss = D(G(z).detach()).mean() - D(x).mean()
    od.zero_grad()
    d_loss.backward()
    od.step()
    g_loss = -D(G(z)).mean()
    og.zero_grad()
    g_loss.backward()
    og.step()
