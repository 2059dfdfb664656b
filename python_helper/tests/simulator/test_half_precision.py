"""Softmax and losses in half precision: the values are those of float32, but for rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.nn import functional as F  # noqa: N812 -- everybody's name for it

if TYPE_CHECKING:
    from gpu_simulator.simulation import Simulation

HALVES = [torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("function", [torch.softmax, torch.log_softmax])
def test_softmax_of_half_precision(
    dtype: torch.dtype, function: Any, valued_card: Simulation
) -> None:
    """Float32 of what was rounded before, and a gradient in half precision."""
    assert valued_card is not None
    scores = torch.randn(4, 7).to(dtype)
    there = scores.cuda().requires_grad_()
    found = function(there, 1, dtype=torch.float32)
    torch.testing.assert_close(found.cpu(), function(scores.float(), 1))
    found.square().sum().backward()
    wanted = scores.float().requires_grad_()
    function(wanted, 1).square().sum().backward()
    assert there.grad is not None
    assert wanted.grad is not None
    torch.testing.assert_close(there.grad.cpu(), wanted.grad.to(dtype))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("targets", ["classes", "chances", "classes of positions"])
def test_cross_entropy_under_autocast(
    dtype: torch.dtype, reduction: str, smoothing: float, targets: str, valued_card: Simulation
) -> None:
    """A loss in float32, near to the one without autocast, with its gradient."""
    assert valued_card is not None
    scores = torch.randn((4, 7, 3) if targets == "classes of positions" else (4, 7))
    classes = torch.tensor([1, -100, 6, 0])
    target: torch.Tensor = {
        "classes": classes,
        "chances": torch.randn(4, 7).softmax(1),
        "classes of positions": classes[:, None].expand(4, 3),
    }[targets]
    options: Any = {"reduction": reduction, "label_smoothing": smoothing}
    ours = scores.cuda().requires_grad_()
    with torch.autocast("cuda", dtype=dtype):
        found = F.cross_entropy(ours.to(dtype), target.cuda(), **options)
    theirs = scores.clone().requires_grad_()
    wanted = F.cross_entropy(theirs, target, **options)
    assert found.dtype is torch.float32
    torch.testing.assert_close(found.cpu(), wanted, rtol=0.02, atol=0.04)
    found.sum().backward()
    wanted.sum().backward()
    assert ours.grad is not None
    assert theirs.grad is not None
    torch.testing.assert_close(ours.grad.cpu(), theirs.grad, rtol=0.02, atol=0.02)


@pytest.mark.parametrize("function", ["sum", "prod", "cumsum", "softmax", "logsumexp"])
def test_autocast_asks_for_float32(function: str, card: Simulation) -> None:
    """Where nobody asked for another type, which stays."""
    assert card is not None
    halves = torch.ones(4, 4, device="cuda", dtype=torch.float16)
    with torch.autocast("cuda"):
        assert getattr(halves, function)(1).dtype is torch.float32
        if function != "logsumexp":
            assert getattr(halves, function)(1, dtype=torch.float16).dtype is torch.float16
        assert getattr(halves.cpu(), function)(1).dtype is torch.float16
