"""Programs that need no library but PyTorch: threads, compilation, functional transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

if TYPE_CHECKING:
    from gpu_simulator.simulation import Simulation


def mlp(width: int = 64, depth: int = 3) -> nn.Sequential:
    """Return layers with activations between them, on the host."""
    layers = [layer for _ in range(depth) for layer in (nn.Linear(width, width), nn.ReLU())]
    return nn.Sequential(*layers)


def test_a_compiled_model_runs_uncompiled_and_says_so(card: Simulation) -> None:
    """Each way to compile warns in one sentence, and the program trains."""
    sentence = "torch.compile does nothing on the simulated GPU: the program runs uncompiled."
    with pytest.warns(UserWarning, match=sentence):
        model = torch.compile(mlp().cuda(), mode="reduce-overhead")
    model(torch.ones(2, 64, device="cuda")).sum().backward()
    with pytest.warns(UserWarning, match=sentence):

        @torch.compile(dynamic=True)
        def double(value: torch.Tensor) -> torch.Tensor:
            return value * 2

    assert double(torch.ones(2, device="cuda")).is_cuda
    in_place = mlp().cuda()
    with pytest.warns(UserWarning, match=sentence):
        in_place.compile()
    assert in_place(torch.ones(2, 64, device="cuda")).is_cuda
    with pytest.raises(RuntimeError, match="cannot compile"):
        torch.compile(in_place, fullgraph=True)
    del card


def test_functional_transforms_run(card: Simulation) -> None:
    """`torch.func` and `torch.autograd.functional` work on the card, with values."""
    tensor = torch.arange(1.0, 5.0).cuda()
    gradient = torch.func.grad(lambda value: (value**2).sum())(tensor)
    mapped = torch.vmap(lambda value: value * 2)(tensor)
    hessian: Any = torch.autograd.functional.hessian(lambda value: (value**3).sum(), tensor)
    assert gradient.is_cuda
    assert mapped.is_cuda
    assert hessian.is_cuda
    if card.compute == "cpu":
        assert gradient.tolist() == [2.0, 4.0, 6.0, 8.0]
        assert mapped.tolist() == [2.0, 4.0, 6.0, 8.0]
        assert hessian.diagonal().tolist() == [6.0, 12.0, 18.0, 24.0]
