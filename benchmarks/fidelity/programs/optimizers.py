"""Every optimizer, and what goes with one: accumulation and clipping."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from .program import Collection
from .training import perceptron, train

if TYPE_CHECKING:
    from collections.abc import Callable

COLLECTION = Collection("Optimizers")
OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "SGD": torch.optim.SGD,
    "SGD with momentum": partial(torch.optim.SGD, momentum=0.9),
    "Adam": torch.optim.Adam,
    "Adam with AMSGrad": partial(torch.optim.Adam, amsgrad=True),
    "AdamW, foreach": partial(torch.optim.AdamW, foreach=True),
    "AdamW, one by one": partial(torch.optim.AdamW, foreach=False),
    "AdamW, fused": partial(torch.optim.AdamW, fused=True),
    "AdamW, capturable": partial(torch.optim.AdamW, capturable=True),
    "RMSprop, centered": partial(torch.optim.RMSprop, centered=True),
    "Adagrad": torch.optim.Adagrad,
    "Adamax": torch.optim.Adamax,
    "NAdam": torch.optim.NAdam,
    "RAdam": torch.optim.RAdam,
    "Rprop": torch.optim.Rprop,
    "Adadelta": torch.optim.Adadelta,
    "Adafactor": torch.optim.Adafactor,
}


def _with(optimizer: Callable[[Any], Any]) -> None:
    model = perceptron()
    inputs = torch.randn(256, 1024, device="cuda")
    train(optimizer(model.parameters()), lambda: model(inputs).square().mean())


for _name, _optimizer in OPTIMIZERS.items():
    _id = _name.lower().replace(",", "").replace(" ", "_")
    COLLECTION.add(_id, f"A perceptron with {_name}", partial(_with, _optimizer))


@COLLECTION.program()
def lbfgs() -> None:
    """A perceptron with LBFGS, which evaluates its closure several times a step."""
    model = perceptron(512)
    inputs = torch.randn(64, 512, device="cuda")
    optimizer = torch.optim.LBFGS(model.parameters(), history_size=3, max_iter=4)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss: torch.Tensor = model(inputs).square().mean()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)


@COLLECTION.program()
def accumulation() -> None:
    """Gradients of eight batches, accumulated for one step of AdamW."""
    model = perceptron()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        for _ in range(8):
            (model(torch.randn(512, 1024, device="cuda")).square().mean() / 8).backward()
        optimizer.step()
        optimizer.zero_grad()


@COLLECTION.program()
def clipping() -> None:
    """Gradients clipped by their norm before the step."""
    model = perceptron()
    optimizer = torch.optim.SGD(model.parameters(), momentum=0.9)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(512, 1024, device="cuda")).square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


@COLLECTION.program()
def average_of_weights() -> None:
    """A moving average of the weights beside the model."""
    model = perceptron()
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99)
    )
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        train(optimizer, lambda: model(torch.randn(256, 1024, device="cuda")).sum(), steps=1)
        average.update_parameters(model)
