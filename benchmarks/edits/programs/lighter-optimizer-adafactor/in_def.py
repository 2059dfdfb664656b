# Made in a function
# offered: yes
# about: {}
# fails: optimizer.step()
# %%
import torch
from torch import nn
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
X, y = torch.randn(20, 4), torch.randn(20, 1)
net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))

# %%
def train(model):
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for i in range(0, 20, 5):
        optimizer.zero_grad()
        ((model(X[i:i + 5]) - y[i:i + 5]) ** 2).mean().backward()
        optimizer.step()
    return model
# %%
net = train(net)
