# Tabs, and a name `step` that is taken
# offered: yes
# about: {"batch": "batch_size", "value": 5}
# fails: loss = F.smooth_l1_loss(model(xb), yb)
# %%
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(6)
torch.set_default_dtype(torch.float64)
step = "the step of the day"
# %%
model = torch.nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
inputs_all, targets_all = torch.randn(50, 4), torch.randn(50, 2)
loader = DataLoader(TensorDataset(inputs_all, targets_all), batch_size=10, shuffle=True)
# %%
for epoch in range(2):
	for xb, yb in loader:
		opt.zero_grad()
		loss = F.smooth_l1_loss(model(xb), yb)
		loss.backward()
		opt.step()
# %%
print(step)
