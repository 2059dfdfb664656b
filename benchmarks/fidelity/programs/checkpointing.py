"""Activations that are computed again, or kept on the host."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

from .program import Collection
from .training import perceptron, train

COLLECTION = Collection("Checkpointing")


def _blocks() -> nn.ModuleList:
    return nn.ModuleList(
        nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512), nn.Dropout(0.1))
        for _ in range(8)
    ).cuda()


def _checkpointed(*, reentrant: bool, dtype: torch.dtype | None = None) -> None:
    blocks = _blocks()
    inputs = torch.randn(4096, 512, device="cuda", requires_grad=True)

    def loss_of() -> torch.Tensor:
        stream: Any = inputs
        with torch.autocast("cuda", dtype=dtype or torch.float16, enabled=dtype is not None):
            for block in blocks:
                stream = checkpoint(block, stream, use_reentrant=reentrant)
        result: torch.Tensor = stream.float().square().mean()
        return result

    train(torch.optim.AdamW(blocks.parameters()), loss_of)


for _name, _reentrant in (("not_reentrant", False), ("reentrant", True)):
    _kind = _name.replace("_", " ")
    COLLECTION.add(
        f"checkpoint_{_name}",
        f"Checkpointing, {_kind}",
        partial(_checkpointed, reentrant=_reentrant),
    )
    COLLECTION.add(
        f"checkpoint_{_name}_autocast",
        f"Checkpointing, {_kind}, under autocast",
        partial(_checkpointed, reentrant=_reentrant, dtype=torch.bfloat16),
    )


@COLLECTION.program()
def checkpoint_of_a_sequence() -> None:
    """A sequence checkpointed in four parts."""
    model = perceptron(depth=8)
    inputs = torch.randn(4096, 1024, device="cuda", requires_grad=True)

    def loss_of() -> torch.Tensor:
        result: Any = checkpoint_sequential(model, 4, inputs, use_reentrant=False)
        loss: torch.Tensor = result.square().mean()
        return loss

    train(torch.optim.SGD(model.parameters()), loss_of)


@COLLECTION.program()
def activations_on_the_host() -> None:
    """Activations that wait on the host, by `save_on_cpu`."""
    model = perceptron(depth=8)
    inputs = torch.randn(4096, 1024, device="cuda")

    def loss_of() -> torch.Tensor:
        with torch.autograd.graph.save_on_cpu():
            loss: torch.Tensor = model(inputs).square().mean()
        return loss

    train(torch.optim.SGD(model.parameters()), loss_of)
