# A class keeps the loaders; its method loops over `self.train_loader`
# offered: yes
# about: {"value": 10, "line": "train_loader = DataLoader(train_set, 10, shuffle=True)"}
# fails: loss = self.loss_fn(self.model(x), y)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Trainer:
    def __init__(self, model, train_loader, val_loader, lr=0.05):
        self.model = model
        self.train_loader, self.val_loader = train_loader, val_loader
        self.loss_fn = nn.MSELoss()
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.seen = 0

    def fit(self, epochs):
        for _ in range(epochs):
            self._epoch()
            self.evaluate()
        return self

    def _epoch(self):
        self.model.train()
        for x, y in self.train_loader:
            loss = self.loss_fn(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.seen += len(x)

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        self.score = sum(float(self.loss_fn(self.model(x), y)) * len(x) for x, y in self.val_loader)
# %%
torch.manual_seed(0)
train_set = TensorDataset(torch.randn(50, 3), torch.randn(50, 1))
val_set = TensorDataset(torch.randn(20, 3), torch.randn(20, 1))
val_loader = DataLoader(val_set, 10)
train_loader = DataLoader(train_set, 10, shuffle=True)
# %%
trainer = Trainer(nn.Linear(3, 1), train_loader, val_loader).fit(2)
seen = trainer.seen
