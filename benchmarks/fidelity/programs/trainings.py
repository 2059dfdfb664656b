"""Trainings of two steps: a perceptron, a convolutional network, a transformer, stages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it
from torch.utils.checkpoint import checkpoint

from benchmarks.fidelity.transformer import TOKENS, Transformer

from .program import Collection

if TYPE_CHECKING:
    from collections.abc import Callable

    Training = tuple[nn.Module, torch.optim.Optimizer, Callable[[], torch.Tensor]]

COLLECTION = Collection("Trainings")

WIDTH, DEPTH, CLASSES = 1024, 4, 10
ROWS, NARROW, STAGES = 8192, 256, 8


def _train(make: Callable[[], Training], *, scales: bool = False) -> None:
    model, optimizer, loss_of = make()
    scaler = torch.amp.GradScaler("cuda", enabled=scales)
    for _ in range(2):
        torch.cuda.reset_peak_memory_stats()  # what is new in the first step is not compared
        loss = loss_of()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        del loss
    del model


def _perceptron(batch: int, optimizer: Any, *, autocast: bool = False) -> Training:
    hidden = [layer for _ in range(DEPTH) for layer in (nn.Linear(WIDTH, WIDTH), nn.ReLU())]
    model = nn.Sequential(*hidden, nn.Linear(WIDTH, CLASSES)).to("cuda")
    inputs = torch.randn(batch, WIDTH, device="cuda")
    classes = torch.randint(0, CLASSES, (batch,), device="cuda")

    def loss_of() -> torch.Tensor:
        with torch.autocast("cuda", dtype=torch.float16, enabled=autocast):
            return F.cross_entropy(model(inputs), classes)

    return model, optimizer(model.parameters()), loss_of


def _convolutional() -> Training:
    """Two convolutions with normalisation, a pooling between them, and a head."""
    model = nn.Sequential(
        *(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU()),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, CLASSES)),
    ).to("cuda")
    images = torch.randn(64, 3, 64, 64, device="cuda")
    classes = torch.randint(0, CLASSES, (64,), device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return model, optimizer, lambda: F.cross_entropy(model(images), classes)


def _transformer() -> Training:
    with torch.device("cuda"):
        model = Transformer()
    ids = torch.randint(0, TOKENS, (4, 512), device="cuda")
    return model, torch.optim.AdamW(model.parameters()), lambda: model(ids)


def _stages(*, checkpointed: bool) -> Training:
    """8 stages that widen by four and narrow again, kept or computed again in backward."""
    stages = nn.ModuleList(
        nn.Sequential(nn.Linear(NARROW, 4 * NARROW), nn.GELU(), nn.Linear(4 * NARROW, NARROW))
        for _ in range(STAGES)
    ).to("cuda")
    inputs = torch.randn(ROWS, NARROW, device="cuda")

    def loss_of() -> torch.Tensor:
        stream: Any = inputs
        for stage in stages:
            stream = (
                checkpoint(stage, stream, use_reentrant=False) if checkpointed else stage(stream)
            )
        return stream.square().mean()  # type: ignore[no-any-return]  # see above

    return stages, torch.optim.SGD(stages.parameters(), lr=0.01), loss_of


_SGD = partial(torch.optim.SGD, lr=0.01)
_autocast = partial(_perceptron, 4096, _SGD, autocast=True)
for _name, _program in {
    "Perceptron with SGD": partial(_train, partial(_perceptron, 4096, _SGD)),
    "Perceptron with AdamW": partial(_train, partial(_perceptron, 64, torch.optim.AdamW)),
    "Perceptron with autocast": partial(_train, _autocast, scales=True),
    "Convolutional network": partial(_train, _convolutional),
    "Transformer with AdamW": partial(_train, _transformer),
    "Stages": partial(_train, partial(_stages, checkpointed=False)),
    "Stages with checkpointing": partial(_train, partial(_stages, checkpointed=True)),
}.items():
    COLLECTION.add(_name[0].lower() + _name[1:].replace(" ", "_"), _name, _program)
