# A gradient penalty goes through the critic twice
# offered: yes
# about: {"model": "critic"}
# fails: score = critic(x)
# %%
import torch
from torch import nn
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
critic = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
# %%
for x in torch.randn(3, 6, 4):
    x = x.requires_grad_(True)
    score = critic(x)
    (g,) = torch.autograd.grad(score.sum(), x, create_graph=True)
    loss = score.mean() + 10 * (g.norm(dim=1) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
