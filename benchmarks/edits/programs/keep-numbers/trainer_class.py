# A trainer class with its losses in an attribute, which another cell prints
# offered: yes
# about: {"name": "trainer.losses"}
# fails: loss = self.loss_fn(self.model(x), y)
# %%
import torch
from torch import nn

torch.manual_seed(2)


class Trainer:
    def __init__(self, model, lr=1e-2):
        self.model = model
        self.loss_fn = nn.MSELoss()
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.losses = []

    def step(self, x, y):
        loss = self.loss_fn(self.model(x), y)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.opt.step()
        self.losses.append(loss)

    def fit(self, data, epochs=2):
        for _ in range(epochs):
            for x, y in data:
                self.step(x, y)
# %%
data = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(5)]
trainer = Trainer(nn.Linear(3, 1))
trainer.fit(data)
# %%
print(f"last {trainer.losses[-1].item():.5f} of {len(trainer.losses)}")
