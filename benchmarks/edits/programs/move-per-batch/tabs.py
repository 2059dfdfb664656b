# Tabs, two tensors in a chain of assignments
# offered: yes
# about: {"data": ["X", "y"], "gpu": ["X", "y"]}
# fails: loss = ((net(xb) - yb) ** 2).mean()
# %%
import torch
net = torch.nn.Linear(2, 1).cuda()
opt = torch.optim.SGD(net.parameters(), lr=.1)
X, y = torch.randn(24, 2), torch.randn(24, 1)
X, y = X.cuda(), y.cuda()
# %%
for i in range(0, 24, 6):
	xb, yb = X[i:i + 6], y[i:i + 6]
	loss = ((net(xb) - yb) ** 2).mean()
	opt.zero_grad()
	loss.backward()
	opt.step()
