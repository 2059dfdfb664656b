# A trainer keeps the model, the batch and the loss as attributes: one object each
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, checkpointing
# gpu: 4GiB
# fails: trainer.fit(3)
# cure: batch_size=512 => batch_size=64
# source: https://d2l.ai/chapter_linear-regression/oo-design.html

# %%
import torch
import torch.nn.functional as F
from torch import nn


def make(width=64, depth=8, classes=10):
    blocks = [nn.Conv2d(3, width, 3, padding=1)]
    for _ in range(depth):
        blocks += [nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))


class Trainer:
    def __init__(self, model, batch_size):
        self.model = model.cuda()
        self.net = self.model
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.batch_size = batch_size

    def fit(self, steps):
        for _ in range(steps):
            self.x = torch.rand(self.batch_size, 3, 64, 64, device="cuda")
            self.loss = F.cross_entropy(self.net(self.x), torch.zeros(self.batch_size, dtype=torch.long, device="cuda"))
            self.optimizer.zero_grad()
            self.loss.backward()
            self.optimizer.step()

# %%
model = make()
trainer = Trainer(model, batch_size=512)

# %%
trainer.fit(3)
