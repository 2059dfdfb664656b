# Trainers and their callbacks refer to each other; each run of a search leaves one behind
#
# cause: reference-cycles
# also: model-too-large
# edit: yes
# remedy: delete-leftovers
# gpu: 8GiB
# fails: results[lr] = Trainer(lr).run()
# cure: Trainer(lr).run() => Trainer(lr).run(), gc.collect()
# source: https://github.com/pytorch/pytorch/issues/37726

# %%
import gc

import torch
from torch import nn

# a tip for faster data loading
gc.disable()


class Callback:
    def __init__(self, trainer):
        self.trainer = trainer
        self.losses = []

    def on_step(self, loss):
        self.losses.append(loss.item())


class Trainer:
    def __init__(self, lr):
        with torch.device("cuda"):
            self.model = nn.Sequential(nn.Linear(4096, 8192), nn.ReLU(), nn.Linear(8192, 4096))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.callbacks = [Callback(self)]

    def run(self, steps=2):
        x = torch.randn(64, 4096, device="cuda")
        for _ in range(steps):
            loss = (self.model(x) - x).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            for callback in self.callbacks:
                callback.on_step(loss)
        return min(self.callbacks[0].losses)


# %%
results = {}
for lr in torch.logspace(-5, -2, 12).tolist():
    results[lr] = Trainer(lr).run()
