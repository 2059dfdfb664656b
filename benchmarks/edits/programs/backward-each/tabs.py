# Tabs, and tqdm around the parts
# offered: yes
# about: {"total": "loss"}
# fails: loss += model(x).pow(2).mean()
# %%
import torch
from torch import nn
from tqdm import tqdm
torch.manual_seed(0)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.randn(4, 5, 3)
# %%
for epoch in range(2):
	opt.zero_grad()
	loss = 0
	for x in tqdm(data, disable=True):
		loss += model(x).pow(2).mean()
	loss.backward()
	opt.step()
