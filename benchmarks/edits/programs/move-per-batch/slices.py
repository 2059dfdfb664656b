# Slices of two tensors in the cell that moves them
# offered: yes
# about: {"data": ["X", "y"], "gpu": ["X", "y"]}
# fails: loss = F.mse_loss(net(X[i:i + 16]), y[i:i + 16])
# %%
import torch
import torch.nn.functional as F
torch.manual_seed(0)
device = "cuda"
net = torch.nn.Linear(4, 1).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
# %%
X = torch.randn(64, 4)
y = torch.randn(64, 1)
X = X.to(device)
y = y.to(device)
n = len(X)
for epoch in range(2):
    for i in range(0, n, 16):
        loss = F.mse_loss(net(X[i:i + 16]), y[i:i + 16])
        opt.zero_grad()
        loss.backward()
        opt.step()
final = loss.item()
