"""What each optimizer keeps on the card, in bytes, and that it gives all of it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_simulator.simulation import Simulation

WIDTH = 512
WEIGHT, BIAS = 4 * WIDTH * WIDTH, 4 * WIDTH
PARAMETERS = WEIGHT + BIAS
SCALAR = 512
"""A number takes a block of 512 bytes."""
VECTOR = 4 * WIDTH

# Each optimizer with the bytes of its state, for one layer. A `step` is on the host unless the
# optimizer is capturable or fused.
KEPT: dict[str, tuple[Callable[[Any], Any], int]] = {
    "SGD": (lambda p: torch.optim.SGD(p, lr=0.1), 0),
    "SGD with momentum": (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), PARAMETERS),
    "Adam": (torch.optim.Adam, 2 * PARAMETERS),
    "Adam with AMSGrad": (lambda p: torch.optim.Adam(p, amsgrad=True), 3 * PARAMETERS),
    "AdamW, foreach": (lambda p: torch.optim.AdamW(p, foreach=True), 2 * PARAMETERS),
    "AdamW, one by one": (lambda p: torch.optim.AdamW(p, foreach=False), 2 * PARAMETERS),
    "AdamW, fused": (lambda p: torch.optim.AdamW(p, fused=True), 2 * PARAMETERS + 2 * SCALAR),
    "AdamW, capturable": (
        lambda p: torch.optim.AdamW(p, capturable=True),
        2 * PARAMETERS + 2 * SCALAR,
    ),
    "RMSprop, centered": (lambda p: torch.optim.RMSprop(p, centered=True), 2 * PARAMETERS),
    "Adagrad": (torch.optim.Adagrad, PARAMETERS),
    "Adamax": (torch.optim.Adamax, 2 * PARAMETERS),
    "NAdam": (torch.optim.NAdam, 2 * PARAMETERS),
    "Adadelta": (torch.optim.Adadelta, 2 * PARAMETERS),
    # A row and a column for the weight, and as much as itself for the bias.
    "Adafactor": (torch.optim.Adafactor, 2 * VECTOR + BIAS),
}


def step(model: nn.Module, optimizer: Any, inputs: torch.Tensor) -> float:
    """Take one step as a closure, which LBFGS needs and the others take."""

    def closure() -> Any:
        optimizer.zero_grad()
        loss = model(inputs).square().mean()
        loss.backward()
        return loss

    loss: torch.Tensor = optimizer.step(closure)
    return loss.item()


@pytest.mark.parametrize("name", KEPT)
def test_states_have_the_bytes_of_theory(card: Simulation, name: str) -> None:
    """After a step: parameters, gradients and the optimizer's state; after it, nothing."""
    make, kept = KEPT[name]
    model, inputs = nn.Linear(WIDTH, WIDTH).cuda(), torch.randn(4, WIDTH, device="cuda")
    before = card.allocator.allocated
    optimizer = make(model.parameters())
    for _ in range(2):
        step(model, optimizer, inputs)
    torch._C._cuda_clearCublasWorkspaces()
    # A large block may keep a remainder of up to 1 MiB: sizes here are multiples of 512.
    assert card.allocator.allocated - before == PARAMETERS + kept
    assert card.allocator.stats()["allocated_bytes"]["all"]["peak"] >= before + PARAMETERS + kept
    del model, optimizer, inputs
    assert card.allocator.allocated == 0


def test_lbfgs_keeps_its_history_and_finds_the_minimum(card: Simulation) -> None:
    """LBFGS keeps directions and steps of the last iterations; its loss falls to a hundredth."""
    torch.manual_seed(0)
    model, inputs = nn.Linear(16, 16).cuda(), torch.randn(64, 16).cuda()
    optimizer = torch.optim.LBFGS(model.parameters(), history_size=3, max_iter=4)
    losses = [step(model, optimizer, inputs) for _ in range(4)]
    state = next(iter(optimizer.state.values()))
    if card.compute == "cpu":
        assert losses[-1] < 0.01 * losses[0]
        assert len(state["old_dirs"]) == len(state["old_stps"]) == 3
        assert all(each.is_cuda for each in state["old_dirs"])


def test_gradients_are_accumulated_in_the_same_bytes(card: Simulation) -> None:
    """Eight small batches need the activations of one of them, and give the sum of gradients."""
    model, inputs = nn.Linear(WIDTH, WIDTH).cuda(), torch.randn(8, 64, WIDTH).cuda()
    model(inputs[0]).square().sum().backward()
    model.zero_grad()
    torch.cuda.reset_peak_memory_stats()
    before = card.allocator.allocated
    for batch in inputs:
        (model(batch).square().sum() / 8).backward()
    assert card.allocator.allocated == before + PARAMETERS
    activations = 64 * WIDTH * 4
    assert torch.cuda.max_memory_allocated() <= before + 2 * PARAMETERS + 4 * activations
    accumulated = [each.grad for each in model.parameters()]
    model.zero_grad()
    (model(inputs).square().sum() / 8).backward()
    if card.compute == "cpu":
        for one, other in zip(accumulated, model.parameters(), strict=True):
            assert one is not None
            assert other.grad is not None
            assert torch.allclose(one.cpu(), other.grad.cpu(), rtol=1e-3, atol=1e-3)
