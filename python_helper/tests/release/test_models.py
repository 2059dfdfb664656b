"""What a training has made beside its results: gradients, optimizer state, the model itself."""

from __future__ import annotations

import gc
import sys
from textwrap import indent
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom import release
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.readings.snapshot import HostReading
from gpu_headroom.release import Outcome, Situation
from gpu_headroom.text.format import MIB
from gpu_simulator import simulate
from gpu_simulator.blas import WORKSPACE_BYTES
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

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


class Kernel:
    """A notebook with what its session would remember between two plans."""

    def __init__(self, notebook: Notebook) -> None:
        self.notebook = notebook
        self.moved: dict[str, Any] = {}
        self.run = notebook.run
        self.in_use = notebook.in_use
        self.value = notebook.shell.user_ns.__getitem__

    def situation(self) -> Situation:
        """Look at the kernel as it is now."""
        return Situation(self.notebook.shell, Turn(30.0), self.notebook.ledger.cells(), self.moved)

    def items(self) -> dict[str, Freeable]:
        """What can be freed now, by id."""
        return {each.id: each for each in release.find(self.situation())}

    def free(self, *items: str) -> Outcome:
        """Free items, each of them confirmed."""
        return release.run(items, self.situation(), self.notebook.read, items)


@pytest.fixture
def kernel() -> Iterator[Kernel]:
    """A trained model with 32 MiB of parameters, as much in gradients, and Adam's state."""
    with simulate("4 GiB"), open_notebook() as notebook:
        assert notebook.run(MODEL).success
        yield Kernel(notebook)


@pytest.fixture
def computing() -> Iterator[Kernel]:
    """The same on a card that computes real values."""
    with simulate("4 GiB", compute="cpu"), open_notebook() as notebook:
        assert notebook.run(MODEL).success
        yield Kernel(notebook)


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ("gradients:model", PARAMETERS),
        ("optimizer_state:optimizer", 2 * PARAMETERS),
        ("offload:model", 4 * PARAMETERS),
    ],
)
def test_gives_back_what_the_plan_said(kernel: Kernel, item: str, size: int) -> None:
    """To the byte; and the price is never paid without a word."""
    found = kernel.items()[item]
    told = found.as_wire()
    assert (told["expected_bytes"], told["safe"], told["selected"]) == (size, False, False)
    assert found.confirm is not None
    assert (found.kind, found.name) == tuple(item.split(":"))
    before = kernel.in_use()
    outcome = kernel.free(item)
    assert before - kernel.in_use() == outcome.freed_bytes == size
    assert (outcome.items[0]["kind"], outcome.items[0]["freed_bytes"]) == (found.kind, size)
    assert item not in kernel.items()


@pytest.mark.parametrize("item", ["gradients:model", "optimizer_state:optimizer"])
def test_training_goes_on_afterwards(kernel: Kernel, item: str) -> None:
    """With new gradients and a state that starts afresh."""
    before = kernel.in_use()
    kernel.free(item)
    assert kernel.run("step()").success
    assert kernel.in_use() == before


@pytest.mark.parametrize("item", ["gradients:model", "optimizer_state:optimizer"])
def test_visible_code_does_the_same(kernel: Kernel, item: str) -> None:
    """Run as a cell it gives back as much and leaves no name behind."""
    found, names, before = kernel.items()[item], set(kernel.notebook.shell.user_ns), kernel.in_use()
    code = indent(found.code, "    ")
    assert kernel.run(f"def clean_up():\n{code}\nclean_up()\ndel clean_up").success
    assert before - kernel.in_use() == found.expected_bytes
    left = set(kernel.notebook.shell.user_ns) - names
    assert not {each for each in left if not each.startswith("_")}


def test_a_gradient_that_a_variable_holds_stays(kernel: Kernel) -> None:
    """What somebody else keeps is not promised, and it is not taken from them."""
    kernel.run("mine = model[0].weight.grad")
    assert kernel.items()["gradients:model"].expected_bytes == PARAMETERS - 4 * MIB
    outcome = kernel.free("gradients:model")
    assert outcome.freed_bytes == PARAMETERS - 4 * MIB
    assert kernel.run("mine.shape").result == (1024, 1024)


def test_a_tensor_of_the_users_has_a_gradient_too(kernel: Kernel) -> None:
    """Adversarial examples and the like are made so."""
    kernel.run(
        "image = torch.ones(2**20, device='cuda', requires_grad=True)\n(image * 2).sum().backward()"
    )
    assert kernel.free("gradients:image").freed_bytes == 4 * MIB
    assert kernel.run("image.grad is None").result is True


def test_a_model_has_one_item_whatever_it_is_called(kernel: Kernel) -> None:
    """Other names of it, its layers and its parameters have none of their own."""
    kernel.run("net = model\nfirst = model[0]\nweight = first.weight")
    assert [each for each in kernel.items() if each.startswith("offload:")] == ["offload:model"]


def test_moves_a_model_to_the_host_and_back(computing: Kernel) -> None:
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
    assert "restore:model" not in kernel.items()


def test_brings_back_what_came_about_at_the_host(computing: Kernel) -> None:
    """Trained on the CPU meanwhile, the model comes back with its new gradients and state."""
    kernel = computing
    kernel.run("optimizer.zero_grad(); optimizer.state.clear()")
    kernel.free("offload:model")
    assert kernel.run("model(torch.ones(2, 1024)).sum().backward(); optimizer.step()").success
    kernel.free("restore:model")
    assert kernel.run("step()").success


def test_what_shares_memory_shares_it_still(computing: Kernel) -> None:
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


def test_moves_a_tensor(computing: Kernel) -> None:
    """The same object, with its values, on the other side."""
    computing.run("x = torch.arange(2.0**20, device='cuda')\nwas = id(x)")
    assert computing.free("offload:x").freed_bytes == 4 * MIB
    assert computing.run("id(x) == was and x.device.type == 'cpu' and x[5].item()").result == 5
    computing.free("restore:x")
    assert computing.run("x.is_cuda and x.sum().item() == sum(range(2**20))").result


BLOCKED = {
    "item.offload.shared": "view = model[0].weight.data[:10]",
    "item.offload.managed": "model._hf_hook = object()",
    "item.offload.kind": (
        "class Packed(nn.Parameter): pass\nmodel.packed = Packed(torch.ones(8, device='cuda'))"
    ),
}


@pytest.mark.parametrize("reason", BLOCKED)
def test_leaves_a_model_where_it_could_not_come_back_whole(kernel: Kernel, reason: str) -> None:
    """It is offered with the reason, and asked for all the same it is not touched."""
    assert kernel.run(BLOCKED[reason]).success
    blocked = kernel.items()["offload:model"].blocked
    assert blocked is not None
    assert blocked["id"] == reason
    assert kernel.free("offload:model").freed_bytes == 0
    assert kernel.run("{p.is_cuda for p in model.parameters()}").result == {True}


def test_leaves_a_model_that_is_spread_over_processes(kernel: Kernel) -> None:
    """As told from the library that its class is from."""
    kernel.run(
        "class Sharded(nn.Module):\n    __module__ = 'torch.distributed.fsdp'\n"
        "sharded = Sharded()\nsharded.inner = model"
    )
    blocked = kernel.items()["offload:sharded"].blocked
    assert blocked is not None
    assert blocked["id"] == "item.offload.managed"


def test_says_how_much_host_memory_is_missing(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A move that does not fit there is not begun."""
    monkeypatch.setattr(
        "gpu_headroom.release.offload.host.read", lambda: HostReading(None, 100 * MIB, None)
    )
    blocked = kernel.items()["offload:model"].blocked
    assert blocked is not None
    assert blocked["params"] == {"host_bytes": 4 * PARAMETERS, "available_bytes": 100 * MIB}


def test_says_how_much_headroom_is_missing(kernel: Kernel) -> None:
    """Nothing is brought back to a card that has become full meanwhile."""
    kernel.free("offload:model")
    kernel.run(
        "torch.cuda.empty_cache()\n"
        "full = torch.empty(3600 * 2**20, dtype=torch.uint8, device='cuda')"
    )
    blocked = kernel.items()["restore:model"].blocked
    assert blocked is not None
    assert blocked["id"] == "item.restore.full"
    outcome = kernel.free("restore:model")
    assert (outcome.status, outcome.message["id"]) == ("failed", "item.restore.full")
    assert kernel.run("{p.is_cuda for p in model.parameters()}").result == {False}


def test_a_move_that_fails_changes_nothing(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_another_model_of_the_same_name_is_not_confused_with_it(kernel: Kernel) -> None:
    """What was moved belongs to the object, not to its name."""
    kernel.free("offload:model")
    kernel.run("model = nn.Linear(8, 8)")
    assert "restore:model" not in kernel.items()


def test_a_model_that_is_gone_does_not_come_back(kernel: Kernel) -> None:
    """Its optimizer keeps the parameters, but there is no model to move."""
    kernel.free("offload:model")
    kernel.run("del model")
    gc.collect()
    assert kernel.run("len(optimizer.param_groups[0]['params']) > 0").result is True
    assert "restore:model" not in kernel.items()


def test_offers_the_workspaces_of_cublas(kernel: Kernel) -> None:
    """They are in use and no object's; the next product takes them again."""
    foretold = kernel.items()["framework_cache:cublas"].expected_bytes
    outcome = kernel.free("framework_cache:cublas")
    assert outcome.freed_bytes == foretold == 2 * WORKSPACE_BYTES
    assert "framework_cache:cublas" not in kernel.items()
    assert kernel.run("step()").success


def test_a_captured_graph_keeps_the_workspaces(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on using the addresses that it saw."""
    import torch.cuda.graphs

    class CUDAGraph:
        """Stands in for a graph that was captured."""

    graph = CUDAGraph()
    monkeypatch.setattr(torch.cuda.graphs, "CUDAGraph", CUDAGraph)
    items = kernel.items()
    for item in ("framework_cache:cublas", "offload:model"):
        blocked = items[item].blocked
        assert blocked is not None
        assert blocked["id"] == "item.captured"
    del graph


def test_offers_what_was_compiled_only_where_something_was(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling again takes a while, so that it is offered only where it gives something."""
    import torch

    assert "framework_cache:compile" not in kernel.items()
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
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
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
    items = kernel.items()
    assert items["framework_cache:cupy"].expected_bytes == 3 * MIB
    assert "framework_cache:jax" not in items
    kernel.free("framework_cache:cupy")
    assert "framework_cache:cupy" not in kernel.items()
    sys.modules["jax._src.xla_bridge"]._backends["cuda"] = None
    assert kernel.items()["framework_cache:jax"].expected_bytes is None
    assert cleared == []
    kernel.free("framework_cache:jax")
    assert cleared == ["jax"]
