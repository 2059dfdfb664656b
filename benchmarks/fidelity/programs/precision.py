"""Mixed and lower precision, and TF32."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it

from .program import Collection
from .training import fit, perceptron, train

COLLECTION = Collection("Precision")


def _autocast(dtype: torch.dtype, *, cached: bool = True) -> None:
    model = nn.Sequential(perceptron(), nn.LayerNorm(1024), nn.Linear(1024, 10)).cuda()
    inputs = torch.randn(2048, 1024, device="cuda")
    classes = torch.zeros(2048, dtype=torch.long, device="cuda")
    optimizer = torch.optim.AdamW(model.parameters())

    def loss_of() -> torch.Tensor:
        with torch.autocast("cuda", dtype=dtype, cache_enabled=cached):
            return F.cross_entropy(model(inputs), classes)

    train(optimizer, loss_of)


COLLECTION.add("autocast_float16", "Autocast to float16", partial(_autocast, torch.float16))
COLLECTION.add("autocast_bfloat16", "Autocast to bfloat16", partial(_autocast, torch.bfloat16))
COLLECTION.add(
    "autocast_without_cache",
    "Autocast without its cache of weights",
    partial(_autocast, torch.bfloat16, cached=False),
)


@COLLECTION.program()
def scaler() -> None:
    """Autocast with GradScaler and clipping."""
    model = perceptron()
    inputs = torch.randn(2048, 1024, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), momentum=0.9)
    loss_scaler = torch.amp.GradScaler("cuda")
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = model(inputs).float().square().mean()
        loss_scaler.scale(loss).backward()
        loss_scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        loss_scaler.step(optimizer)
        loss_scaler.update()


def _typed(dtype: torch.dtype) -> None:
    model = perceptron().to(dtype)
    inputs = torch.randn(1024, 1024, device="cuda", dtype=dtype)
    fit(model, torch.optim.AdamW(model.parameters()), inputs)


COLLECTION.add("bfloat16", "A model in bfloat16", partial(_typed, torch.bfloat16))
COLLECTION.add("float64", "A model in float64", partial(_typed, torch.float64))


@COLLECTION.program()
def tf32() -> None:
    """Products in TF32."""
    torch.backends.cuda.matmul.allow_tf32 = True
    model = perceptron()
    inputs = torch.randn(1024, 1024, device="cuda")
    fit(model, torch.optim.AdamW(model.parameters()), inputs)


@COLLECTION.program()
def tf32_by_precision() -> None:
    """Products in TF32, asked for by `set_float32_matmul_precision`."""
    torch.set_float32_matmul_precision("high")
    model = perceptron()
    inputs = torch.randn(1024, 1024, device="cuda")
    fit(model, torch.optim.AdamW(model.parameters()), inputs)
