# A trainer class of one's own, the loss is an average
# offered: no
# because: eight bits may not be enough for what is computed, and no text tells
# about: {}
# fails: loss = self.loss_fn(self.model(x), y)
# %%
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Trainer:
    def __init__(self, model):
        self.model, self.loss_fn = model, nn.MSELoss()
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    def train_epoch(self, batches):
        self.model.train()
        total = 0.0
        for x, y in batches:
            self.opt.zero_grad()
            loss = self.loss_fn(self.model(x), y)
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total / len(batches)
# %%
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
trainer = Trainer(model)
batches = [(torch.randn(5, 4), torch.randn(5, 1)) for _ in range(3)]
# %%
for epoch in range(2):
    average = trainer.train_epoch(batches)
