# A class that fits and evaluates, as in a course
# offered: yes
# about: {}
# fails: scores.append((self.model(xb).argmax(1) == yb).double().mean().item())
# %%
import torch
from torch import nn


class Learner:
    def __init__(self, model, train, valid, lr=0.1):
        self.model, self.train_dl, self.valid_dl = model, train, valid
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.log = []

    def evaluate(self):
        scores = []
        for xb, yb in self.valid_dl:
            scores.append((self.model(xb).argmax(1) == yb).double().mean().item())
        return sum(scores) / len(scores)

    def fit(self, epochs):
        for _ in range(epochs):
            for xb, yb in self.train_dl:
                loss = nn.functional.cross_entropy(self.model(xb), yb)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            self.log.append((loss.item(), self.evaluate()))


# %%
torch.manual_seed(4)
torch.set_default_dtype(torch.float64)
xs, ys = torch.randn(24, 4).split(6), torch.randint(0, 2, (24,)).split(6)
learner = Learner(nn.Linear(4, 2), list(zip(xs, ys))[:3], list(zip(xs, ys))[3:])
# %%
learner.fit(2)
print(learner.log)
