# Tabs, torch under another name
# offered: no
# because: eight bits may not be enough for what is computed, and no text tells
# about: {"torch": "th"}
# fails: loss = crit(net(x), t)
# %%
import torch as th
from torch import nn
th.manual_seed(0)
net = nn.Sequential(nn.Conv1d(2, 3, 3), nn.SiLU(), nn.Flatten(), nn.Linear(12, 2))
crit = nn.CrossEntropyLoss()
opt = th.optim.RMSprop(net.parameters())
data = [(th.randn(4, 2, 6), th.randint(0, 2, (4,))) for _ in range(3)]
# %%
for x, t in data:
	opt.zero_grad()
	loss = crit(net(x), t)
	loss.backward()
	opt.step()
