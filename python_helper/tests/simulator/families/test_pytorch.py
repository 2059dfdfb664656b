"""Programs that need no library but PyTorch: threads, compilation, functional transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

if TYPE_CHECKING:
    from gpu_simulator.simulation import Simulation


def mlp(width: int = 64, depth: int = 3) -> nn.Sequential:
    """Return layers with activations between them, on the host."""
    layers = [layer for _ in range(depth) for layer in (nn.Linear(width, width), nn.ReLU())]
    return nn.Sequential(*layers)


def test_a_compiled_model_runs_uncompiled_and_says_so(gpu: Simulation) -> None:
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
    del gpu
