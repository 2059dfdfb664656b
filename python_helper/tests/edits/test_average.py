"""Averages of weights that are kept on the host."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from gpu_headroom.edits.average import averaged_on_host
from tests.edits.cases import check, refuses_hostile, table

COPIES = table(
    """
ema = copy.deepcopy(model).eval()
ema.requires_grad_(False)
def update():
    for e, p in zip(ema.parameters(), model.parameters()):
        e.lerp_(p, 1 - decay)
--->
ema = copy.deepcopy(model).cpu().eval()
ema.requires_grad_(False)
def update():
    for e, p in zip(ema.parameters(), model.parameters()):
        p = p.detach().cpu()
        e.lerp_(p, 1 - decay)
====
ema = {n: p.clone() for n, p in model.named_parameters()}
for n, p in model.named_parameters():
    ema[n].mul_(d).add_(p.data, alpha=1 - d)
--->
ema = {n: p.clone().cpu() for n, p in model.named_parameters()}
for n, p in model.named_parameters():
    p = p.detach().cpu()
    ema[n].mul_(d).add_(p.data, alpha=1 - d)
====
ema = {}
for n, p in model.named_parameters():
    ema[n] = p.data.clone()
for n, p in model.named_parameters():
    ema[n] = d * ema[n] + (1 - d) * p.data
for n, p in model.named_parameters():
    p.data.copy_(ema[n])
--->
ema = {}
for n, p in model.named_parameters():
    p = p.detach().cpu()
    ema[n] = p.data.clone()
for n, p in model.named_parameters():
    p = p.detach().cpu()
    ema[n] = d * ema[n] + (1 - d) * p.data
for n, p in model.named_parameters():
    p.data.copy_(ema[n])
====
ema = {}
for n, p in model.named_parameters():
    ema[n] = p.data.clone()
for n, p in model.named_parameters():
    ema[n] = d * ema[n] + (1 - d) * p.data
for n, p in model.named_parameters():
    p.data = ema[n]
====
ema = copy.deepcopy(model)
for e, p in zip(ema.parameters(), model.parameters()):
    e.lerp_(p, 1 - decay)
target = ema(x)
====
ema = copy.deepcopy(model)
====
ema = build()
for e, p in zip(ema.parameters(), model.parameters()):
    e.lerp_(p, 1 - decay)
====
ema = copy.deepcopy(model)
for e, p in zip(ema.parameters(), model.parameters()):
    p.data.add_(e)
"""
)


@pytest.mark.parametrize(("before", "after"), COPIES)
def test_an_average_is_on_the_host(before: str, after: str | None) -> None:
    """Where nothing is computed with it but the average."""
    check(averaged_on_host("ema"), before, after)


def test_is_the_same_average() -> None:
    """As before."""
    source = COPIES[0][0] + "\nupdate()\nupdate()"
    found = []
    for code in (source, averaged_on_host("ema")(source)):
        assert code is not None
        torch.manual_seed(0)
        names: dict[str, Any] = {"model": torch.nn.Linear(4, 4), "decay": 0.9}
        exec(f"import copy, torch\ntorch.set_grad_enabled(False)\n{code}", names)  # noqa: S102
        torch.set_grad_enabled(True)
        found.append(names["ema"].weight)
    assert torch.equal(*found)


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(averaged_on_host("losses"))
