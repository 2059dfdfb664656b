# A quick look at the validation set within the epoch, left with `break`
# offered: yes
# about: {"model": "model"}
# fails: val += crit(model(a), b).item()
# %%
import torch
from torch import nn

torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
model, crit = nn.Sequential(nn.Linear(2, 6), nn.LayerNorm(6), nn.Linear(6, 1)), nn.L1Loss()
opt = torch.optim.RMSprop(model.parameters(), lr=0.01)
pairs = [(torch.randn(3, 2), torch.randn(3, 1)) for _ in range(6)]
modes = []
# %%
for epoch in range(2):
	model.train()
	for a, b in pairs[:4]:
		modes.append(model.training)
		opt.zero_grad()
		crit(model(a), b).backward()
		opt.step()
	val = 0.0
	for n, (a, b) in enumerate(pairs[4:]):
		val += crit(model(a), b).item()
		if n == 0:
			break
	print(f"{epoch} {val:.6f}")
