# A module in Lightning's manner whose outputs are gathered at the end of an epoch
# offered: yes
# about: {"name": "module.validation_step_outputs"}
# fails: loss = F.cross_entropy(logits, y)
# %%
import torch
import torch.nn.functional as F
from torch import nn


class LightningModule(nn.Module):
    def log(self, name, value):
        self.__dict__.setdefault("logged", {})[name] = float(value)


class Module(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 3)
        self.validation_step_outputs = []

    def forward(self, x):
        return self.net(x)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self.net(x)
        loss = F.cross_entropy(logits, y)
        self.validation_step_outputs.append(loss)

    def on_validation_epoch_end(self):
        mean = torch.stack(self.validation_step_outputs).mean()
        self.log("val_loss", mean)
        self.validation_step_outputs.clear()
# %%
torch.manual_seed(5)
module = Module()
batches = [(torch.randn(6, 4), torch.randint(0, 3, (6,))) for _ in range(3)]
for n, batch in enumerate(batches):
    module.validation_step(batch, n)
module.on_validation_epoch_end()
print(module.logged["val_loss"])
