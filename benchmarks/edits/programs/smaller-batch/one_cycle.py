# OneCycleLR made with the length of the loader in the same cell, gradient clipping
# offered: yes
# about: {"value": 16, "line": "BATCH = 16"}
# fails: loss = crit(net(data), target)
# %%
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset
from torch.optim.lr_scheduler import OneCycleLR
ds = TensorDataset(torch.randn(64, 8), torch.randint(0, 4, (64,)))
# %%
BATCH = 16
EPOCHS = 2
loader = DataLoader(ds, batch_size=BATCH, shuffle=True, drop_last=True)
net = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
opt = optim.AdamW(net.parameters(), lr=1e-3)
sched = OneCycleLR(opt, max_lr=1e-2, total_steps=EPOCHS * len(loader))
crit = nn.CrossEntropyLoss()
seen = 0
for epoch in range(EPOCHS):
	for data, target in loader:
		opt.zero_grad()
		loss = crit(net(data), target)
		loss.backward()
		nn.utils.clip_grad_norm_(net.parameters(), 1.0)
		opt.step()
		sched.step()
		seen += target.shape[0]
