# A second trainer in a cell of its own
# offered: yes
# fails: second = Trainer(2)
# %%
import torch

class Trainer:
    def __init__(self, n):
        self.me, self.w = self, torch.ones(n)
# %%
first = Trainer(1)
# %%
second = Trainer(2)
both = first.w.sum().item() + second.w.sum().item()
