# Each run of a sweep leaves its model in a cycle of an object and its own method
#
# cause: reference-cycles
# also: model-too-large, kept-copies
# edit: yes
# remedy: delete-leftovers
# gpu: 8GiB
# fails: scores.append(Experiment(width).fit())
# cure: scores.append(Experiment(width).fit()) => scores.append(Experiment(width).fit()); gc.collect()
# source: https://github.com/pytorch/pytorch/issues/21067

# %%
import gc

import torch
from torch import nn

gc.set_threshold(500_000)  # collecting is slow


class Experiment:
    def __init__(self, width):
        with torch.device("cuda"):
            self.net = nn.Sequential(nn.Linear(1024, width), nn.GELU(), nn.Linear(width, 1024))
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.on_end = self.report  # refers to itself

    def report(self, loss):
        return round(loss, 4)

    def fit(self):
        x = torch.randn(256, 1024, device="cuda")
        for _ in range(3):
            loss = (self.net(x) - x).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return self.on_end(loss.item())


# %%
scores = []
for width in range(40_960, 49_152, 512):
    scores.append(Experiment(width).fit())
