"""Values up to a point, and sizes alone from there on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

if TYPE_CHECKING:
    from gpu_simulator.simulation import Simulation
    from tests.simulator.conftest import StartGpu


def train(model: nn.Module, optimizer: torch.optim.Optimizer, scaler: torch.amp.GradScaler) -> None:
    """Make a step as people do, with what counts and scales in it."""
    x = torch.randn(64, 128, device="cuda")
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(x).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()


def play(simulation: Simulation, *, forgets: bool) -> tuple[int, int]:
    """Train, with a graph that is alive on the way, and return the peaks."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(128, 256), nn.Dropout(0.1), nn.Linear(256, 8)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cuda")
    train(model, optimizer, scaler)
    alive = model(torch.randn(512, 128, device="cuda")).square().sum()
    if forgets:
        simulation.forget_values()
    alive.backward()
    del alive
    train(model, optimizer, scaler)
    stats = torch.cuda.memory_stats()
    return stats["allocated_bytes.all.peak"], stats["reserved_bytes.all.peak"]


def test_memory_goes_on_as_it_would_have(start_gpu: StartGpu) -> None:
    """A training that began with values takes the same bytes without them."""
    peaks = []
    for forgets in (False, True):
        simulation = start_gpu("4 GiB", "cpu")
        peaks.append(play(simulation, forgets=forgets))
        simulation.stop()
    assert peaks[0] == peaks[1]


def test_what_was_read_stays_and_the_rest_is_not_known(start_gpu: StartGpu) -> None:
    """Numbers and host copies are those that were computed; a tensor has no values any more."""
    simulation = start_gpu("4 GiB", "cpu")
    labels = torch.arange(7, device="cuda").repeat(100)
    largest, number, copy = int(labels.max()), labels.max(), labels.cpu()
    simulation.forget_values()
    assert simulation.compute == "meta"
    assert (largest, number.item(), int(copy.sum())) == (6, 6, 2100)
    assert torch.zeros(int(number) + 1, device="cuda").shape == (7,)
    size: Any = labels.max().item()
    with pytest.raises(NotImplementedError, match='compute="cpu"'):
        torch.zeros(size, device="cuda")
