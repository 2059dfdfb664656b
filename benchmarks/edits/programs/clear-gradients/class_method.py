# A trainer class of one's own
# offered: yes
# about: {}
# fails: out = self.model(x)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0); torch.set_default_dtype(torch.float64)
class Learner:
    def __init__(self, model, lr=0.1):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.losses = []

    def fit(self, batches, epochs=2):
        for _ in range(epochs):
            for x, y in batches:
                out = self.model(x)
                loss = F.mse_loss(out, y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.losses.append(loss.item())
# %%
model = nn.Linear(3, 1)
learner = Learner(model)
# %%
learner.fit([(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(3)])
