"""Indices and versions of tensors on the GPU, and types that do not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import nn

if TYPE_CHECKING:
    from gpu_simulator.simulation import Simulation
    from tests.simulator.conftest import StartGpu


@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence:UserWarning")
@pytest.mark.parametrize(
    "index",
    [
        [[0, 1], [1, 0]],
        [[[0, 1]]],
        [[0]] * 33,
        [slice(0, 2), [0, 1]],
        [0, [1, 2]],
        [..., 0],
        [None, 0],
        [True, False, True],
        [torch.tensor([True, False, True])],
        [np.array([0, 1]), np.array([1, 0], dtype=np.int32)],
        np.array([True, False, True]),
        [],
        range(2),
        torch.tensor([True, False, True]),
        (slice(None), torch.arange(8) > 2),
        torch.arange(24).view(3, 8) % 5 == 0,
    ],
    ids=str,
)
def test_an_index_means_what_it_means_on_the_host(start_gpu: StartGpu, index: Any) -> None:
    """Read and set; a mask of the host chooses as many as it says, without values too."""
    start_gpu("16 GiB", "meta")
    here, there = torch.zeros(3, 8, 4), torch.zeros(3, 8, 4, device="cuda")
    assert there[index].shape == here[index].shape
    here[index] = there[index] = 1.0
    there[index] = torch.ones_like(there[index])


@pytest.mark.parametrize(
    ("name", "options"),
    [("SGD", {}), ("Adam", {}), ("SGD", {"fused": True}), ("Adam", {"fused": True})],
)
def test_a_step_is_a_change_to_autograd(
    gpu: Simulation, name: str, options: dict[str, Any]
) -> None:
    """A graph from before it cannot go back, unless the step is one fused kernel."""
    del gpu
    layer = nn.Conv2d(2, 3, 2).cuda()
    optimizer = getattr(torch.optim, name)(layer.parameters(), lr=0.1, **options)
    before = layer(torch.randn(2, 2, 5, 5, device="cuda"))
    layer(torch.randn(2, 2, 5, 5, device="cuda")).sum().backward()
    version = layer.weight._version
    optimizer.step()
    assert layer.weight._version == version + (not options)
    if not options:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            before.sum().backward()
