# Folds of a cross validation, a trainer each
# offered: yes
# fails: trainer = Trainer(fold)
# %%
import torch

class Trainer:
    def __init__(self, fold):
        self.model = torch.nn.Linear(3, 1)
        self.callbacks = [self]
        self.fold = fold

    def score(self):
        return self.model(torch.ones(2, 3)).mean().item() * self.fold
# %%
torch.manual_seed(1)
scores = []
for fold in range(3):
    for seed in (0, 1):
        trainer = Trainer(fold)
        scores.append(trainer.score())
print(len(scores))
