"""Freeing on a simulated card: what comes back, what stays, and what is said about it."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

import pytest
from gpu_headroom import release, testing
from gpu_headroom.frameworks.view import View
from gpu_headroom.readings.merge import merge
from gpu_headroom.readings.snapshot import DeviceSnapshot
from gpu_headroom.release.items import FINDERS
from gpu_headroom.release.kinds import KINDS
from gpu_headroom.text.format import GIB, MIB, format_bytes

if TYPE_CHECKING:
    from tests.notebook import Notebook

SCENARIOS = {
    "function": "def work():\n    x = tensor(1024)\n    fail()\nwork()",
    "nested": """
def outer():
    a = tensor(512)
    def inner():
        b = tensor(512)
        def innermost():
            c = [tensor(256)]
            fail()
        innermost()
    inner()
outer()""",
    "method": """
class Trainer:
    def __init__(self):
        self.cache = tensor(512)
    def fit(self):
        x = tensor(512)
        fail()
Trainer().fit()""",
    "raise from": """
def work():
    x = tensor(1024)
    try:
        fail()
    except RuntimeError as error:
        y = tensor(512)
        raise ValueError("training failed") from error
work()""",
    "context": """
def work():
    x = tensor(1024)
    try:
        fail()
    except RuntimeError:
        y = tensor(512)
        raise ValueError("training failed") from None
work()""",
    "generator": """
def batches():
    buffer = tensor(512)
    for n in range(3):
        x = tensor(256)
        if n == 2:
            fail()
        yield x
def work():
    seen = [x for x in batches()]
work()""",
    "async": """
import asyncio
async def work():
    x = tensor(1024)
    await asyncio.sleep(0)
    fail()
await work()""",
    "closure": """
def make():
    x = tensor(1024)
    def step():
        y = x[:10]
        fail()
    return step
make()()""",
    "comprehension": """
def work():
    xs = [tensor(256) for _ in range(4)]
    return [[x, fail()] for x in xs]
work()""",
    "cycle": """
def work():
    x = tensor(1024)
    try:
        fail()
    except RuntimeError as error:
        kept = error
        raise
work()""",
    "backward": """
class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1
    @staticmethod
    def backward(ctx, gradient):
        y = tensor(512)
        fail()
def train():
    model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(4)]).cuda()
    x = torch.randn(48 * 1024, 1024, device="cuda")
    loss = Fails.apply(model(x)).sum()
    loss.backward()
train()""",
    "forward": """
def train():
    model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(4)]).cuda()
    hidden = model(torch.randn(64 * 1024, 1024, device="cuda"))
    loss = model(hidden)
    fail()
train()""",
}
GROUP = """
def work():
    x = tensor(1024)
    errors = []
    for n in range(2):
        try:
            y = tensor(256)
            fail()
        except RuntimeError as error:
            errors.append(error)
    raise ExceptionGroup("several", errors)
work()"""


@pytest.mark.parametrize("name", SCENARIOS)
def test_frees_what_a_failed_cell_held(notebook: Notebook, name: str) -> None:
    """After a release, in use is back at the level before the failed cell, no variable lost."""
    before = notebook.in_use()
    assert not notebook.run(SCENARIOS[name]).success
    held = notebook.in_use() - before
    assert held >= GIB
    outcome = release.run(None, notebook.situation(), notebook.read)
    assert outcome.status == "done"
    assert outcome.freed_bytes == held
    assert notebook.in_use() == before
    assert notebook.shell.user_ns["keep"].numel() == 64 * MIB


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with Python 3.11")
def test_frees_the_members_of_an_exception_group(notebook: Notebook) -> None:
    """Each error of a group has a traceback of its own, and all are let go."""
    before = notebook.in_use()
    assert not notebook.run(GROUP).success
    assert notebook.in_use() - before >= GIB
    release.run(["traceback"], notebook.situation(), notebook.read)
    assert notebook.in_use() == before


def test_collects_garbage_and_returns_the_cache(notebook: Notebook) -> None:
    """A cycle of objects goes with the garbage, whole free segments go back to the card."""
    notebook.run(
        "class Node: pass\nnode = Node()\nnode.self = node\nnode.x = tensor(512)\ndel node"
    )
    outcome = release.run(["garbage", "cache"], notebook.situation(), notebook.read)
    assert {each["id"]: each["freed_bytes"] for each in outcome.items}["garbage"] == 512 * MIB
    assert outcome.returned_bytes is not None
    assert outcome.returned_bytes >= 512 * MIB


def test_says_who_holds_the_rest(notebook: Notebook) -> None:
    """Where nothing can be freed, the largest holder is named."""
    release.run(None, notebook.situation(), notebook.read)
    outcome = release.run(None, notebook.situation(), notebook.read)
    assert outcome.status == "nothing"
    assert outcome.message["id"] == "released.nothing_held"
    assert outcome.message["params"]["name"] == "keep"
    assert outcome.still_held[0] == {"name": "keep", "kind": "tensor", "bytes": 64 * MIB}


def test_plan_measures_each_item(notebook: Notebook) -> None:
    """The plan says what each item would give; garbage cannot be measured beforehand."""
    notebook.run("tensor(256)")
    notebook.run(SCENARIOS["function"])
    expected = {item["id"]: item["expected_bytes"] for item in release.plan(notebook.situation())}
    assert expected["traceback"] == GIB
    assert expected["output:2"] == 256 * MIB
    assert expected["garbage"] is None


def test_refuses_an_item_that_there_is_not(notebook: Notebook) -> None:
    """A misspelt item is refused in one sentence."""
    with pytest.raises(ValueError, match="There is no item `tracebacks`"):
        release.run(["tracebacks"], notebook.situation(), notebook.read)


@pytest.mark.parametrize("name", ["function", "raise from", "generator", "forward"])
def test_clean_up_cell_frees_the_same(notebook: Notebook, name: str) -> None:
    """The visible code, run as a cell, brings in use back and leaves no name behind."""
    before = notebook.in_use()
    names = set(notebook.shell.user_ns)
    notebook.run("tensor(256)")
    notebook.run(SCENARIOS[name])
    code = release.cleanup_code(notebook.situation())
    assert notebook.run(code).success
    assert notebook.in_use() == before
    made = {each for each in set(notebook.shell.user_ns) - names if not each.startswith("_")}
    assert made <= {"work", "train", "batches"}


def test_clean_up_cell_names_the_largest_variables(notebook: Notebook) -> None:
    """Deleting a variable stays the user's choice: the line is there, commented out."""
    assert "if you wish: keep (64 MiB)" in release.cleanup_code(notebook.situation())


def test_clean_up_cell_and_release_say_the_same_of_a_name(notebook: Notebook) -> None:
    """One number for one name: all that goes with it, a model's gradients included."""
    notebook.run(
        "model = nn.Linear(4096, 4096).cuda()\n"
        "model(torch.randn(8, 4096, device='cuda')).sum().backward()"
    )
    outcome = release.run(None, notebook.situation(), notebook.read)
    (held,) = [each for each in outcome.still_held if each["name"] == "model"]
    assert held["bytes"] == 2 * (4096 * 4096 + 4096) * 4
    code = release.cleanup_code(notebook.situation())
    assert f"if you wish: model ({format_bytes(held['bytes'])}), " in code
    before = notebook.in_use()
    assert notebook.run("del model").success
    release.run(None, notebook.situation(), notebook.read)
    assert before - notebook.in_use() == held["bytes"]


def test_leaves_the_cache_alone_while_a_graph_is_captured(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Emptying the cache would break the capture."""
    import torch

    notebook.run("x = tensor(512)\ndel x")
    monkeypatch.setattr(torch._C, "_cuda_isCurrentStreamCapturing", lambda: True, raising=False)
    assert release.run(["cache"], notebook.situation(), notebook.read).returned_bytes == 0
    monkeypatch.undo()
    assert release.run(["cache"], notebook.situation(), notebook.read).message["id"] == (
        "released.cache_only"
    )


def test_says_that_nothing_was_measured_while_no_framework_is_live(notebook: Notebook) -> None:
    """The driver tells its totals before; what a framework holds is then still unknown."""
    card = View(0, total_bytes=4 * GIB, free_bytes=GIB)
    driver_only = DeviceSnapshot(0, 0.0, "not_initialised", merge((), [card]))
    outcome = release.run(["garbage"], notebook.situation(), lambda: driver_only)
    assert (outcome.freed_bytes, outcome.in_use_bytes) == (None, None)
    assert outcome.message["id"] == "released.not_measured"


@pytest.mark.parametrize("item", ["variable:keep", "gradients:model", "error:x", "offload:model"])
def test_refuses_what_is_not_confirmed(notebook: Notebook, item: str) -> None:
    """The whole wish is refused in one sentence, and nothing of it happens, safe items included."""
    notebook.run("tensor(64)")
    before = notebook.in_use()
    with pytest.raises(ValueError, match=f"`{item}` loses something, so it has to be confirmed"):
        release.run(["outputs", item], notebook.situation(), notebook.read, ["variable:other"])
    assert notebook.in_use() == before


def test_deletes_a_variable_that_was_confirmed(notebook: Notebook) -> None:
    """By its id, and measured by itself."""
    items = ["variable:keep"]
    outcome = release.run(items, notebook.situation(), notebook.read, confirmed=items)
    assert "keep" not in notebook.shell.user_ns
    assert [(each["id"], each["freed_bytes"]) for each in outcome.items] == [
        ("variable:keep", 64 * MIB)
    ]


def test_says_of_an_item_that_it_is_gone(notebook: Notebook) -> None:
    """A variable that was deleted after the plan: the others are freed all the same."""
    notebook.run("tensor(64)")
    items = ["outputs", "variable:gone"]
    outcome = release.run(items, notebook.situation(), notebook.read, confirmed=items)
    assert outcome.freed_bytes == 64 * MIB
    (said,) = [each["message"] for each in outcome.items if each["id"] == "variable:gone"]
    assert said is not None
    assert said["id"] == "item.gone"


def test_an_item_that_fails_costs_no_other(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its row says why, the rest is freed."""

    def fails(_: object) -> None:
        raise RuntimeError("no")

    notebook.run("tensor(64)")
    notebook.run(SCENARIOS["function"])
    monkeypatch.setattr("gpu_headroom.release.tracebacks.drop_tracebacks", fails)
    outcome = release.run(None, notebook.situation(), notebook.read)
    said = {each["id"]: each["message"] for each in outcome.items}["traceback"]
    assert said is not None
    assert said["text"] == "It could not be freed: RuntimeError: no."
    assert outcome.freed_bytes == 64 * MIB


def test_measures_each_item_by_itself(notebook: Notebook) -> None:
    """What each gave adds up to what came back in all."""
    notebook.run("tensor(64)")
    notebook.run(SCENARIOS["function"])
    gc.disable()  # or Python may come round to it before
    try:
        notebook.run(
            "class Node: pass\nnode = Node()\nnode.me, node.x = node, tensor(32)\ndel node"
        )
        outcome = release.run(None, notebook.situation(), notebook.read)
    finally:
        gc.enable()
    freed = {each["id"].partition(":")[0]: each["freed_bytes"] for each in outcome.items}
    assert freed == {
        "output": 64 * MIB,
        "traceback": GIB,
        "garbage": 32 * MIB,
        "cache": 0,
    }
    assert outcome.freed_bytes == GIB + 96 * MIB


def test_every_kind_is_found_and_travels() -> None:
    """What is planned is in the schema, and each kind has what finds its items."""
    planned = {name for name, kind in KINDS.items() if kind.planned}
    assert planned == set(testing.schema()["definitions"]["item_kind"]["enum"])
    assert FINDERS.keys() == KINDS.keys()


@pytest.mark.parametrize("name", SCENARIOS)
def test_foretells_what_a_traceback_gives(notebook: Notebook, name: str) -> None:
    """The plan's number is what a release then measures."""
    notebook.run(SCENARIOS[name])
    items = {each["id"]: each["expected_bytes"] for each in release.plan(notebook.situation())}
    outcome = release.run(["traceback"], notebook.situation(), notebook.read)
    assert items["traceback"] == outcome.freed_bytes
