# A class keeps its optimizer
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
class Learner:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.NAdam(model.parameters(), lr=1e-2)

    def step(self, a, b):
        loss = (self.model(a) - b).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
# %%
learner = Learner(net)
curve = [learner.step(X[i:i + 5], y[i:i + 5]) for i in range(0, 20, 5)]
