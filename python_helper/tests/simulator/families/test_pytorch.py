"""Programs that need no library but PyTorch: threads, compilation, functional transforms."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
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


def test_a_pool_of_threads_trains_models(card: Simulation) -> None:
    """Threads allocate and free at the same time, backward included, and lose no byte."""

    def train(seed: int) -> tuple[str, float]:
        generator = torch.Generator("cuda").manual_seed(seed)
        model = mlp().cuda()
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        inputs = torch.randn(32, 64, device="cuda", generator=generator)
        losses = []
        for _ in range(5):
            loss = (model(inputs) - 1).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return str(loss.device), losses[-1] - losses[0]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(train, range(8)))
    assert {device for device, _ in results} == {"cuda:0"}
    if card.compute == "cpu":
        assert all(change < 0 for _, change in results)
    torch._C._cuda_clearCublasWorkspaces()
    assert card.allocator.allocated == 0


def test_a_thread_runs_out_of_memory_by_itself(card: Simulation) -> None:
    """The error is raised in the thread that asked, and the others go on."""
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            torch.empty(8 * 2**30, dtype=torch.uint8, device="cuda")
        except torch.OutOfMemoryError as error:
            failures.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert len(failures) == 1
    assert torch.ones(3, device="cuda").is_cuda
    assert card.allocator.stats()["num_ooms"] == 1


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
