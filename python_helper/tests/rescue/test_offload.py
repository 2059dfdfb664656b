"""A model that goes to the host, and comes back."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom import testing
from gpu_headroom.readings.snapshot import HostReading
from gpu_headroom.release.items import kinds, measured, shared
from gpu_headroom.text.format import MIB
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


@pytest.fixture
def computing() -> Iterator[Notebook]:
    """The same on a GPU that computes real values."""
    with trained("cpu") as notebook:
        yield notebook


def test_with_it_all_kinds_of_the_schema_are_planned() -> None:
    """In the order of freeing, what can be freed for good first."""
    planned = [name for name, kind in kinds().items() if kind.holds is None]
    assert set(planned) == set(testing.schema()["definitions"]["item_kind"]["enum"])
    assert planned.index("optimizer_state") < planned.index("offload") < planned.index("restore")


def test_gives_back_what_the_plan_said(kernel: Notebook) -> None:
    """With its gradients and the optimizer's state."""
    gives_what_the_plan_said(kernel, "offload:model", 4 * PARAMETERS)


def test_counts_what_other_items_give_as_well(kernel: Notebook) -> None:
    """A page that adds items up counts these bytes once."""
    groups = {tuple(row["ids"]): row["bytes"] for row in shared(measured(kernel.situation()))}
    assert groups["gradients:model", "offload:model"] == PARAMETERS
    state = "variable:optimizer", "optimizer_state:optimizer", "offload:model"
    assert groups[state] == 2 * PARAMETERS
    outcome = kernel.free("optimizer_state:optimizer", "gradients:model", "offload:model")
    assert outcome.freed_bytes == 4 * PARAMETERS


def test_what_stays_where_it_is_counts_with_nothing(kernel: Notebook) -> None:
    """A view would be parted from what it is a view of."""
    kernel.run("keep = torch.zeros(4, 2**20, device='cuda')\nview = keep[:1]")
    rows = measured(kernel.situation())
    blocked = {row.id for row in rows if row.blocked is not None}
    assert blocked >= {"offload:keep", "offload:view"}
    assert not blocked & {name for row in shared(rows) for name in row["ids"]}


def test_waits_for_graphs_that_were_captured(
    kernel: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would go on where the memory was."""
    with captured_graph(monkeypatch):
        assert why_blocked(kernel, "offload:model")["id"] == "item.captured"


def test_a_model_has_one_item_whatever_it_is_called(kernel: Notebook) -> None:
    """Other names of it, its layers and its parameters have none of their own."""
    kernel.run("net = model\nfirst = model[0]\nweight = first.weight")
    assert [name for name in items(kernel) if name.startswith("offload:")] == ["offload:model"]


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
    assert kernel.kept["offload"] == {}
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
        "gpu_headroom.rescue.offload.host.read", lambda: HostReading(None, 100 * MIB, None)
    )
    assert why_blocked(kernel, "offload:model")["params"] == {
        "host_bytes": 4 * PARAMETERS,
        "available_bytes": 100 * MIB,
    }


def test_says_how_much_headroom_is_missing(kernel: Notebook) -> None:
    """Nothing is brought back to a GPU that has become full meanwhile."""
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
    assert kernel.kept["offload"] == {}


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
