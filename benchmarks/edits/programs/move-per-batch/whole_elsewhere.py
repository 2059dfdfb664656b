# Another cell evaluates on the whole tensor
# offered: no
# because: the whole of it is needed on the card
# about: {"data": ["X", "y"], "gpu": ["X", "y"]}
# fails: loss = (net(X[i:i + 8]) - y[i:i + 8]).pow(2).mean()
# %%
import torch
net = torch.nn.Linear(2, 1).cuda()
opt = torch.optim.SGD(net.parameters(), lr=.1)
X, y = torch.randn(16, 2), torch.randn(16, 1)
# %%
X = X.cuda()
y = y.cuda()
for i in range(0, 16, 8):
    loss = (net(X[i:i + 8]) - y[i:i + 8]).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
# %%
with torch.no_grad():
    error = (net(X) - y).abs().mean().item()
