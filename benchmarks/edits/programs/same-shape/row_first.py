# The row stands before the column
# offered: yes
# about: {"column": "out", "row": "target", "result": "err", "expected": "meant"}
# fails: err = (target - out).abs().mean()
# %%
import torch

torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
inputs, target = torch.randn(8, 2), torch.randn(8)
# %%
with torch.no_grad():
	out = net(inputs)
	err = (target - out).abs().mean()
# %%
meant = (target - net(inputs).squeeze(-1)).abs().mean().detach()
print(err.shape)
