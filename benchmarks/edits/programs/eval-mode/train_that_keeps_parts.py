# A class whose `train()` leaves its backbone in evaluation mode
# offered: no
# because: `train()` is overridden
# about: {"model": "net"}
# fails: z = net(x)
# %%
import torch
from torch import nn


class Tuned(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
        self.head = nn.Linear(4, 2)

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        self.switched = getattr(self, "switched", 0) + 1
        return self

    def forward(self, x):
        return self.head(self.backbone(x))


torch.manual_seed(10)
net = Tuned().train()
# %%
total = 0.0
for x in torch.randn(8, 3).split(4):
    z = net(x)
    total += z.sum().item()
# %%
print(net.training, net.backbone.training, net.switched)
switched = net.switched
