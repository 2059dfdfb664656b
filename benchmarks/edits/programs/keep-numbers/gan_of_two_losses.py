# A GAN with a list for each of its losses, indented with tabs
# offered: yes
# about: {"name": "d_losses"}
# fails: d_loss = bce(D(real), one) + bce(D(fake.detach()), zero)
# %%
import torch
from torch import nn

torch.manual_seed(4)
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Linear(3, 1)
bce = nn.BCEWithLogitsLoss()
opt_g, opt_d = (torch.optim.Adam(m.parameters(), 1e-2, (0.5, 0.9)) for m in (G, D))
one, zero = torch.ones(8, 1), torch.zeros(8, 1)
d_losses, g_losses = [], []
# %%
for step in range(6):
	real = torch.randn(8, 3) + 2
	fake = G(torch.randn(8, 2))
	d_loss = bce(D(real), one) + bce(D(fake.detach()), zero)
	opt_d.zero_grad()
	d_loss.backward()
	opt_d.step()
	g_loss = bce(D(fake), one)
	opt_g.zero_grad()
	g_loss.backward()
	opt_g.step()
	d_losses.append(d_loss)
	g_losses.append(g_loss.item())
# %%
print(torch.stack(d_losses).mean().item(), sum(g_losses) / 6)
