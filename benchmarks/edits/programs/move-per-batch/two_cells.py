# One cell moves the data, a later one trains on slices of a permutation
# offered: yes
# about: {"data": ["X", "y"], "gpu": ["X", "y"]}
# fails: out = model(X[idx])
# %%
import torch
from torch import nn
torch.manual_seed(1)
X, y = torch.randn(50, 3).cuda(), torch.randint(0, 2, (50,)).cuda()
# %%
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)).cuda()
optim = torch.optim.Adam(model.parameters())
# %%
history = []
for epoch in range(2):
    for idx in torch.randperm(X.shape[0]).split(10):
        out = model(X[idx])
        loss = nn.functional.cross_entropy(out, y[idx])
        optim.zero_grad(); loss.backward(); optim.step()
        history.append(loss.item())
# %%
print(X.shape, len(y))
