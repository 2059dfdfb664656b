# A metric object that keeps every batch's scores, masks and inputs until compute()
#
# cause: kept-tensors
# edit: yes
# remedy: keep-numbers
# gpu: 4GiB
# fails: evaluate(seg, batches(26), Metrics())
# cure: self.images.append(images) => None
# cure: self.probs.append(probs) => self.probs.append(probs.mean())
# source: https://github.com/Lightning-AI/pytorch-lightning/issues/8215

# %%
from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn


class Metrics:
    """Mean IoU, and the images with the worst of it."""

    def __init__(self) -> None:
        self.images: list[Tensor] = []
        self.probs: list[Tensor] = []
        self.masks: list[Tensor] = []

    def update(self, images: Tensor, probs: Tensor, masks: Tensor) -> None:
        self.images.append(images)
        self.probs.append(probs)
        self.masks.append(masks.cpu())

    def compute(self) -> float:
        return float(torch.stack([each.mean() for each in self.probs]).mean())


# %%
def batches(n: int) -> Iterator[tuple[Tensor, Tensor]]:
    for _ in range(n):
        yield torch.rand(8, 3, 512, 512), torch.zeros(8, 512, 512, dtype=torch.uint8)


def evaluate(model: nn.Module, loader: Iterator[tuple[Tensor, Tensor]], metrics: Metrics) -> float:
    model.eval()
    with torch.no_grad():
        for images, masks in loader:
            images = images.cuda()
            probs = model(images).softmax(1)
            metrics.update(images, probs, masks)
    return metrics.compute()


seg = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 19, 1)).cuda()

# %%
evaluate(seg, batches(26), Metrics())
