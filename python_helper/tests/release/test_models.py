"""What a training has made beside its results: gradients, optimizer state, caches."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.text.format import MIB
from gpu_simulator.blas import WORKSPACE_BYTES
from tests.release.trained import (
    PARAMETERS,
    captured_graph,
    gives_what_the_plan_said,
    items,
    trained,
    why_blocked,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.notebook import Notebook


@pytest.fixture
def kernel() -> Iterator[Notebook]:
    """A trained model with 32 MiB of parameters, as much in gradients, and Adam's state."""
    with trained() as notebook:
        yield notebook


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ("gradients:model", PARAMETERS),
        ("optimizer_state:optimizer", 2 * PARAMETERS),
    ],
)
def test_gives_back_what_the_plan_said(kernel: Notebook, item: str, size: int) -> None:
    """To the byte."""
    gives_what_the_plan_said(kernel, item, size)


@pytest.mark.parametrize("item", ["gradients:model", "optimizer_state:optimizer"])
def test_training_goes_on_afterwards(kernel: Notebook, item: str) -> None:
    """With new gradients and a state that starts afresh."""
    before = kernel.in_use()
    kernel.free(item)
    assert kernel.run("step()").success
    assert kernel.in_use() == before


def test_a_gradient_that_a_variable_holds_stays(kernel: Notebook) -> None:
    """What other code keeps is not promised, and it is not taken away."""
    kernel.run("mine = model[0].weight.grad")
    assert items(kernel)["gradients:model"].expected_bytes == PARAMETERS - 4 * MIB
    outcome = kernel.free("gradients:model")
    assert outcome.freed_bytes == PARAMETERS - 4 * MIB
    assert kernel.run("mine.shape").result == (1024, 1024)


def test_a_tensor_of_the_users_has_a_gradient_too(kernel: Notebook) -> None:
    """Adversarial examples and the like are made so."""
    kernel.run(
        "image = torch.ones(2**20, device='cuda', requires_grad=True)\n(image * 2).sum().backward()"
    )
    assert kernel.free("gradients:image").freed_bytes == 4 * MIB
    assert kernel.run("image.grad is None").result is True


def test_offers_the_workspaces_of_cublas(kernel: Notebook) -> None:
    """They are in use and no object's; the next product takes them again."""
    foretold = items(kernel)["framework_cache:cublas"].expected_bytes
    outcome = kernel.free("framework_cache:cublas")
    assert outcome.freed_bytes == foretold == 2 * WORKSPACE_BYTES
    assert "framework_cache:cublas" not in items(kernel)
    assert kernel.run("step()").success


def test_a_captured_graph_keeps_the_workspaces(
    kernel: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on using the addresses that it saw."""
    with captured_graph(monkeypatch):
        assert why_blocked(kernel, "framework_cache:cublas")["id"] == "item.captured"


def test_offers_what_was_compiled_only_where_something_was(
    kernel: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling again takes a while, so that it is offered only where it gives something."""
    import torch

    assert "framework_cache:compile" not in items(kernel)
    from torch._dynamo import convert_frame

    monkeypatch.setattr(convert_frame.output_codes, "seen", [object()])
    resets: list[int] = []
    monkeypatch.setattr(torch.compiler, "reset", lambda: resets.append(1))
    kernel.free("framework_cache:compile")
    assert resets == [1]


class Pool:
    """Stands in for CuPy's pool: it needs a real GPU."""

    def __init__(self) -> None:
        self.cached = 3 * MIB

    def total_bytes(self) -> int:
        """Return what the pool took of the GPU."""
        return MIB + self.cached

    def used_bytes(self) -> int:
        """Return what arrays have of it."""
        return MIB

    def free_all_blocks(self) -> None:
        """Give back the rest."""
        self.cached = 0


def test_offers_the_caches_of_other_frameworks_that_are_live(
    kernel: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CuPy says how much, JAX does not; one that has not started a GPU is not even asked."""
    pool, cleared = Pool(), list[str]()
    monkeypatch.setattr("gpu_headroom.frameworks.cupy.reading.contexts", lambda: frozenset({0}))
    modules: dict[str, dict[str, Any]] = {
        "cupy": {"get_default_memory_pool": lambda: pool},
        "cupy.cuda": {},
        "jax": {"clear_caches": lambda: cleared.append("jax")},
        "jax._src.xla_bridge": {"_backends": {"cpu": None}},
    }
    for name, attributes in modules.items():
        module = ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
    caches = items(kernel)
    assert caches["framework_cache:cupy"].expected_bytes == 3 * MIB
    assert "framework_cache:jax" not in caches
    kernel.free("framework_cache:cupy")
    assert "framework_cache:cupy" not in items(kernel)
    sys.modules["jax._src.xla_bridge"]._backends["cuda"] = None
    assert items(kernel)["framework_cache:jax"].expected_bytes is None
    assert cleared == []
    kernel.free("framework_cache:jax")
    assert cleared == ["jax"]
