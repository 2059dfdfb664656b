"""Training as people write it, for the programs to share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable


def train(optimizer: Any, loss_of: Callable[[], torch.Tensor], steps: int = 3) -> None:
    """Take some steps; the loss of the last one stays until the next."""
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()


def perceptron(width: int = 1024, depth: int = 4, device: str = "cuda") -> nn.Sequential:
    """Return layers of one width with a ReLU after each."""
    layers = (each for _ in range(depth) for each in (nn.Linear(width, width), nn.ReLU()))
    return nn.Sequential(*layers).to(device)


def fit(model: nn.Module, optimizer: Any, inputs: torch.Tensor, steps: int = 3) -> None:
    """Train a model towards nothing, on one batch."""
    train(optimizer, lambda: model(inputs).square().mean(), steps)
