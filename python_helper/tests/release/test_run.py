"""Freeing on a simulated GPU: what comes back, what stays, and what is said about it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from gpu_headroom import testing
from gpu_headroom.frameworks.view import View
from gpu_headroom.readings.merge import merge
from gpu_headroom.readings.snapshot import DeviceSnapshot
from gpu_headroom.release import code as cleanup
from gpu_headroom.release import outcome as releasing
from gpu_headroom.release.items import kinds
from gpu_headroom.text.format import GIB, MIB, format_bytes

if TYPE_CHECKING:
    from tests.notebook import Notebook

FAIL = "def work():\n    x = tensor(1024)\n    fail()\nwork()"


def test_collects_garbage_and_returns_the_cache(notebook: Notebook) -> None:
    """A cycle of objects goes with the garbage, whole free segments go back to the GPU."""
    notebook.run(
        "class Node: pass\nnode = Node()\nnode.self = node\nnode.x = tensor(512)\ndel node"
    )
    outcome = notebook.free("garbage", "cache")
    assert {item["id"]: item["freed_bytes"] for item in outcome.items}["garbage"] == 512 * MIB
    assert outcome.returned_bytes is not None
    assert outcome.returned_bytes >= 512 * MIB


def test_says_who_holds_the_rest(notebook: Notebook) -> None:
    """Where nothing can be freed, the largest holder is named."""
    notebook.free()
    outcome = notebook.free()
    assert outcome.status == "nothing"
    assert outcome.message["id"] == "released.nothing_held"
    assert outcome.message["params"]["name"] == "keep"
    assert outcome.still_held[0] == {"name": "keep", "kind": "tensor", "bytes": 64 * MIB}


def test_refuses_an_item_that_there_is_not(notebook: Notebook) -> None:
    """A misspelt item is refused in one sentence."""
    with pytest.raises(ValueError, match="There is no item `tracebacks`"):
        releasing.run(["tracebacks"], notebook.situation(), notebook.read)


def test_clean_up_cell_and_release_say_the_same_of_a_name(notebook: Notebook) -> None:
    """One number for one name: all that goes with it, a model's gradients included."""
    notebook.run(
        "model = nn.Linear(4096, 4096).cuda()\n"
        "model(torch.randn(8, 4096, device='cuda')).sum().backward()"
    )
    outcome = notebook.free()
    (row,) = [item for item in outcome.still_held if item["name"] == "model"]
    assert row["bytes"] == 2 * (4096 * 4096 + 4096) * 4
    code = cleanup.cleanup_code(notebook.situation())
    assert f"if you wish: model ({format_bytes(row['bytes'])}), " in code
    before = notebook.in_use()
    assert notebook.run("del model").success
    notebook.free()
    assert before - notebook.in_use() == row["bytes"]


def test_leaves_the_cache_alone_while_a_graph_is_captured(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Emptying the cache would break the capture."""
    import torch

    notebook.run("x = tensor(512)\ndel x")
    monkeypatch.setattr(torch._C, "_cuda_isCurrentStreamCapturing", lambda: True, raising=False)
    assert notebook.free("cache").returned_bytes == 0
    monkeypatch.undo()
    assert notebook.free("cache").message["id"] == ("released.cache_only")


def test_says_that_nothing_was_measured_while_no_framework_is_live(notebook: Notebook) -> None:
    """The driver tells its totals before; what a framework holds is then still unknown."""
    view = View(0, total_bytes=4 * GIB, free_bytes=GIB)
    driver_only = DeviceSnapshot(0, 0.0, "not_initialised", merge((), [view]))
    outcome = releasing.run(["garbage"], notebook.situation(), lambda: driver_only)
    assert (outcome.freed_bytes, outcome.in_use_bytes) == (None, None)
    assert outcome.message["id"] == "released.not_measured"


def test_says_of_an_item_that_it_is_gone(notebook: Notebook) -> None:
    """A variable that was deleted after the plan: the others are freed all the same."""
    notebook.run("tensor(64)")
    outcome = notebook.free("outputs", "variable:gone")
    assert outcome.freed_bytes == 64 * MIB
    (message,) = [item["message"] for item in outcome.items if item["id"] == "variable:gone"]
    assert message is not None
    assert message["id"] == "item.gone"


def test_an_item_that_fails_costs_no_other(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its row says why, the rest is freed."""

    def fails(_: object) -> None:
        raise RuntimeError("no")

    notebook.run("tensor(64)")
    notebook.run(FAIL)
    monkeypatch.setattr("gpu_headroom.release.tracebacks.drop_tracebacks", fails)
    outcome = notebook.free()
    message = {item["id"]: item["message"] for item in outcome.items}["traceback"]
    assert message is not None
    assert message["text"] == "It could not be freed: RuntimeError: no."
    assert outcome.freed_bytes == 64 * MIB


def test_measures_each_item_by_itself(notebook: Notebook) -> None:
    """What each gave adds up to what came back in all."""
    notebook.run("tensor(64)")
    notebook.run(FAIL)
    gc.disable()  # or Python may come round to it before
    try:
        notebook.run(
            "class Node: pass\nnode = Node()\nnode.me, node.x = node, tensor(32)\ndel node"
        )
        outcome = notebook.free()
    finally:
        gc.enable()
    sizes = {item["id"].partition(":")[0]: item["freed_bytes"] for item in outcome.items}
    assert sizes == {
        "output": 64 * MIB,
        "traceback": GIB,
        "garbage": 32 * MIB,
        "cache": 0,
    }
    assert outcome.freed_bytes == GIB + 96 * MIB


def test_every_kind_travels() -> None:
    """What is planned is in the schema."""
    planned = {name for name, kind in kinds().items() if kind.holds is None}
    assert planned <= set(testing.schema()["definitions"]["item_kind"]["enum"])
