# A detector gives losses in training mode and boxes in evaluation mode
# offered: no
# because: its results are others in evaluation mode
# about: {"model": "detector"}
# fails: losses = detector(images, targets)
# %%
import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 4)

    def forward(self, images, targets=None):
        boxes = self.net(images)
        if self.training:
            return {"box": (boxes - targets).abs().mean()}
        return [{"boxes": each} for each in boxes]


torch.manual_seed(12)
detector = Detector()
val = [(torch.randn(2, 4), torch.randn(2, 4)) for _ in range(2)]
# %%
val_loss = 0.0
with torch.no_grad():
    for images, targets in val:
        losses = detector(images, targets)
        val_loss += sum(losses.values()).item()
# %%
print(val_loss)
