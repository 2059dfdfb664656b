# A class keeps it
# offered: yes
# about: {}
# fails: self.opt.step()
# %%
import torch
from torch import nn
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
X, y = torch.randn(20, 4), torch.randn(20, 1)
net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))

# %%
class Fit:
    def __init__(self, model):
        self.model, self.opt = model, torch.optim.Adam(model.parameters(), lr=1e-3)
    def __call__(self, a, b):
        self.opt.zero_grad()
        loss = (self.model(a) - b).pow(2).mean()
        loss.backward()
        self.opt.step()
        return float(loss)
# %%
fit = Fit(net)
curve = [fit(X[i:i + 5], y[i:i + 5]) for i in range(0, 20, 5)]
