"""What a training has made beside its results: gradients, optimizer state, the model itself."""

from __future__ import annotations

import gc
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom import release
from gpu_headroom.readings.snapshot import HostReading
from gpu_headroom.text.format import MIB
from gpu_simulator import simulate
from gpu_simulator.blas import WORKSPACE_BYTES
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_headroom.protocol.generated.wire import Message
    from gpu_headroom.release.freeable import Freeable

MODEL = """
import torch
from torch import nn
model = nn.Sequential(*[nn.Linear(1024, 1024, bias=False) for _ in range(8)]).cuda()
optimizer = torch.optim.Adam(model.parameters())
def step():
    loss = model(torch.randn(64, 1024, device="cuda")).square().mean()
    loss.backward()
    optimizer.step()
    return loss.item()
step()
;"""
PARAMETERS = 8 * 4 * MIB


def items(notebook: Notebook) -> dict[str, Freeable]:
    """Return what can be freed now, by its ids."""
    return {each.id: each for each in release.find(notebook.situation())}


def why_blocked(notebook: Notebook, item: str) -> Message:
    """Return the reason for which an item is offered, but cannot be had."""
    blocked = items(notebook)[item].blocked
    assert blocked is not None
    return blocked


@pytest.fixture
def kernel() -> Iterator[Notebook]:
    """A trained model with 32 MiB of parameters, as much in gradients, and Adam's state."""
    with simulate("4 GiB"), open_notebook() as notebook:
        assert notebook.run(MODEL).success
        yield notebook


@pytest.fixture
def computing() -> Iterator[Notebook]:
    """The same on a card that computes real values."""
    with simulate("4 GiB", compute="cpu"), open_notebook() as notebook:
        assert notebook.run(MODEL).success
        yield notebook


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ("gradients:model", PARAMETERS),
        ("optimizer_state:optimizer", 2 * PARAMETERS),
        ("offload:model", 4 * PARAMETERS),
    ],
)
def test_gives_back_what_the_plan_said(kernel: Notebook, item: str, size: int) -> None:
    """To the byte; and the price is never paid without a word."""
    found = items(kernel)[item]
    told = found.as_wire()
    assert (told["expected_bytes"], told["safe"], told["selected"]) == (size, False, False)
    assert found.confirm is not None
    assert (found.kind, found.name) == tuple(item.split(":"))
    before = kernel.in_use()
    outcome = kernel.free(item)
    assert before - kernel.in_use() == outcome.freed_bytes == size
    assert (outcome.items[0]["kind"], outcome.items[0]["freed_bytes"]) == (found.kind, size)
    assert item not in items(kernel)


@pytest.mark.parametrize("item", ["gradients:model", "optimizer_state:optimizer"])
def test_training_goes_on_afterwards(kernel: Notebook, item: str) -> None:
    """With new gradients and a state that starts afresh."""
    before = kernel.in_use()
    kernel.free(item)
    assert kernel.run("step()").success
    assert kernel.in_use() == before


def test_a_gradient_that_a_variable_holds_stays(kernel: Notebook) -> None:
    """What somebody else keeps is not promised, and it is not taken from them."""
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


def test_a_model_has_one_item_whatever_it_is_called(kernel: Notebook) -> None:
    """Other names of it, its layers and its parameters have none of their own."""
    kernel.run("net = model\nfirst = model[0]\nweight = first.weight")
    assert [each for each in items(kernel) if each.startswith("offload:")] == ["offload:model"]


def test_moves_a_model_to_the_host_and_back(computing: Notebook) -> None:
    """Parameters stay the same objects; values, gradients and the optimizer's state return."""
    kernel = computing
    kernel.run(
        "was = [p.detach().cpu() for p in model.parameters()]\nids = [*map(id, model.parameters())]"
    )
    kernel.run("momenta = [optimizer.state[p]['exp_avg'].cpu() for p in model.parameters()]")
    before = kernel.in_use()
    outcome = kernel.free("offload:model")
    assert outcome.freed_bytes == 4 * PARAMETERS
    assert outcome.undo == ["restore:model"]
    kernel.run("parts = [(p, p.grad, optimizer.state[p]['exp_avg']) for p in model.parameters()]")
    devices = "{str(each.device) for part in parts for each in part}"
    assert kernel.run(devices).result == {"cpu"}
    back = kernel.free("restore:model")
    assert (back.status, back.message["id"]) == ("done", "item.restore.done")
    assert kernel.in_use() == before
    assert kernel.run(devices).result == {"cuda:0"}
    assert kernel.run("[*map(id, model.parameters())] == ids").result
    same = "all(map(torch.equal, was, [p.detach().cpu() for p in model.parameters()]))"
    assert kernel.run(same).result
    assert kernel.run("all(torch.equal(m, p[2].cpu()) for m, p in zip(momenta, parts))").result
    assert kernel.run("step()").success
    assert kernel.moved == {}
    assert "restore:model" not in items(kernel)


def test_brings_back_what_came_about_at_the_host(computing: Notebook) -> None:
    """Trained on the CPU meanwhile, the model comes back with its new gradients and state."""
    kernel = computing
    kernel.run("optimizer.zero_grad(); optimizer.state.clear()")
    kernel.free("offload:model")
    assert kernel.run("model(torch.ones(2, 1024)).sum().backward(); optimizer.step()").success
    kernel.free("restore:model")
    assert kernel.run("step()").success


def test_what_shares_memory_shares_it_still(computing: Notebook) -> None:
    """Tied weights, and views among the parameters of one model, stay one memory."""
    kernel = computing
    kernel.run(
        "tied = nn.Module()\nbase = torch.zeros(2, 2**20, device='cuda')\n"
        "tied.a, tied.b = nn.Parameter(base[0]), nn.Parameter(base[1])\n"
        "tied.c = tied.a\ndel base"
    )
    before = kernel.in_use()
    assert kernel.free("offload:tied").freed_bytes == 8 * MIB
    shared = "tied.a.untyped_storage().data_ptr() == tied.b.untyped_storage().data_ptr()"
    assert kernel.run(shared).result
    kernel.free("restore:tied")
    assert kernel.in_use() == before
    assert kernel.run("tied.c is tied.a and str(tied.b.device)").result == "cuda:0"


BLOCKED = {
    "item.offload.shared": "view = model[0].weight.data[:10]",
    "item.offload.managed": "model._hf_hook = object()",
    "item.offload.kind": (
        "class Packed(nn.Parameter): pass\nmodel.packed = Packed(torch.ones(8, device='cuda'))"
    ),
}


@pytest.mark.parametrize("reason", BLOCKED)
def test_leaves_a_model_where_it_could_not_come_back_whole(kernel: Notebook, reason: str) -> None:
    """It is offered with the reason, and asked for all the same it is not touched."""
    assert kernel.run(BLOCKED[reason]).success
    assert why_blocked(kernel, "offload:model")["id"] == reason
    assert kernel.free("offload:model").freed_bytes == 0
    assert kernel.run("{p.is_cuda for p in model.parameters()}").result == {True}


def test_leaves_a_model_that_is_spread_over_processes(kernel: Notebook) -> None:
    """As told from the library that its class is from."""
    kernel.run(
        "class Sharded(nn.Module):\n    __module__ = 'torch.distributed.fsdp'\n"
        "sharded = Sharded()\nsharded.inner = model"
    )
    assert why_blocked(kernel, "offload:sharded")["id"] == "item.offload.managed"


def test_says_how_much_host_memory_is_missing(
    kernel: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A move that does not fit there is not begun."""
    monkeypatch.setattr(
        "gpu_headroom.release.offload.host.read", lambda: HostReading(None, 100 * MIB, None)
    )
    assert why_blocked(kernel, "offload:model")["params"] == {
        "host_bytes": 4 * PARAMETERS,
        "available_bytes": 100 * MIB,
    }


def test_says_how_much_headroom_is_missing(kernel: Notebook) -> None:
    """Nothing is brought back to a card that has become full meanwhile."""
    kernel.free("offload:model")
    kernel.run(
        "torch.cuda.empty_cache()\n"
        "full = torch.empty(3600 * 2**20, dtype=torch.uint8, device='cuda')"
    )
    assert why_blocked(kernel, "restore:model")["id"] == "item.restore.full"
    outcome = kernel.free("restore:model")
    assert (outcome.status, outcome.message["id"]) == ("failed", "item.restore.full")
    assert kernel.run("{p.is_cuda for p in model.parameters()}").result == {False}


def test_a_move_that_fails_changes_nothing(
    kernel: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All copies are made before the first tensor is set to one."""
    import torch

    calls: list[Any] = []
    original = torch.Tensor.as_strided

    def failing(*args: Any) -> Any:
        calls.append(args)
        if len(calls) > 10:
            raise RuntimeError("no more")
        return original(*args)

    monkeypatch.setattr(torch.Tensor, "as_strided", failing)
    outcome = kernel.free("offload:model")
    monkeypatch.undo()
    assert outcome.items[0]["message"] is not None
    assert outcome.items[0]["message"]["id"] == "item.failed"
    assert outcome.undo == []
    assert kernel.run("{p.is_cuda for p in model.parameters()}").result == {True}
    assert kernel.moved == {}


def test_another_model_of_the_same_name_is_not_confused_with_it(kernel: Notebook) -> None:
    """What was moved belongs to the object, not to its name."""
    kernel.free("offload:model")
    kernel.run("model = nn.Linear(8, 8)")
    assert "restore:model" not in items(kernel)


def test_a_model_that_is_gone_does_not_come_back(kernel: Notebook) -> None:
    """Its optimizer keeps the parameters, but there is no model to move."""
    kernel.free("offload:model")
    kernel.run("del model")
    gc.collect()
    assert kernel.run("len(optimizer.param_groups[0]['params']) > 0").result is True
    assert "restore:model" not in items(kernel)


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
    import torch.cuda.graphs

    class CUDAGraph:
        """Stands in for a graph that was captured."""

    graph = CUDAGraph()
    monkeypatch.setattr(torch.cuda.graphs, "CUDAGraph", CUDAGraph)
    for item in ("framework_cache:cublas", "offload:model"):
        assert why_blocked(kernel, item)["id"] == "item.captured"
    del graph


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
    """Stands in for CuPy's pool: it needs a real card."""

    def __init__(self) -> None:
        self.cached = 3 * MIB

    def total_bytes(self) -> int:
        """Return what the pool took of the card."""
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
    found = items(kernel)
    assert found["framework_cache:cupy"].expected_bytes == 3 * MIB
    assert "framework_cache:jax" not in found
    kernel.free("framework_cache:cupy")
    assert "framework_cache:cupy" not in items(kernel)
    sys.modules["jax._src.xla_bridge"]._backends["cuda"] = None
    assert items(kernel)["framework_cache:jax"].expected_bytes is None
    assert cleared == []
    kernel.free("framework_cache:jax")
    assert cleared == ["jax"]
