"""Freeing on a simulated card: what comes back, what stays, and what is said about it."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest
from gpu_headroom import release
from gpu_headroom.format import GIB, MIB, format_bytes
from gpu_headroom.simulate import simulate
from gpu_headroom.snapshot import Snapshot
from gpu_headroom.sources.merge import merge
from gpu_headroom.sources.view import View
from tests.notebook import Notebook, open_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

BASE = """
import torch
from torch import nn
keep = torch.zeros(64, 2**20, dtype=torch.uint8, device="cuda")  # 64 MiB that the user named
warm = torch.ones(8, 8, device="cuda", requires_grad=True)
(warm @ warm).sum().backward()  # cuBLAS makes its workspace, and keeps it
def tensor(mib):
    return torch.empty(mib * 2**20, dtype=torch.uint8, device="cuda")
def fail():
    return tensor(100 * 1024)  # 100 GiB
"""

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


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    """A notebook on a simulated card of 4 GiB, with 64 MiB in a variable `keep`."""
    with simulate("4 GiB"), open_notebook() as notebook:
        assert notebook.run(BASE).success
        yield notebook


@pytest.mark.parametrize("name", SCENARIOS)
def test_frees_what_a_failed_cell_held(notebook: Notebook, name: str) -> None:
    """After a release, in use is back at the level before the failed cell, no variable lost."""
    before = notebook.in_use()
    assert not notebook.run(SCENARIOS[name]).success
    held = notebook.in_use() - before
    assert held >= GIB
    outcome = release.run(None, notebook.shell, notebook.read)
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
    release.run(["traceback"], notebook.shell, notebook.read)
    assert notebook.in_use() == before


def test_frees_an_error_that_the_user_keeps(notebook: Notebook) -> None:
    """An error in a variable stays there; the variables of its frames do not."""
    before = notebook.in_use()
    notebook.run(
        "def work():\n    x = tensor(1024)\n    fail()\n"
        "try:\n    work()\nexcept RuntimeError as error:\n    kept = error\n    raise"
    )
    assert notebook.in_use() - before == GIB
    release.run(None, notebook.shell, notebook.read)
    assert notebook.in_use() == before
    assert type(notebook.shell.user_ns["kept"]).__name__ == "OutOfMemoryError"


def test_frees_what_the_debugger_was_left_with(notebook: Notebook) -> None:
    """After `%debug` and `q` the old failure is let go, too, even behind a newer one."""
    before = notebook.in_use()
    notebook.run(SCENARIOS["nested"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("q\n"))
        notebook.run("%debug")
    notebook.run("1 / 0")
    release.run(None, notebook.shell, notebook.read)
    assert notebook.in_use() == before


def test_leaves_a_suspended_generator_alone(notebook: Notebook) -> None:
    """A generator that a failed function was iterating goes on afterwards."""
    notebook.run(
        "def count():\n    x = tensor(128)\n    for n in range(5):\n        yield n\n"
        "numbers = count()\n"
        "def work():\n    big = tensor(512)\n    for n in numbers:\n        fail()\nwork()"
    )
    release.run(None, notebook.shell, notebook.read)
    assert notebook.run("rest = list(numbers)").success
    assert notebook.shell.user_ns["rest"] == [1, 2, 3, 4]


def test_frees_displayed_values_that_no_name_holds(notebook: Notebook) -> None:
    """A displayed tensor goes, `Out` and `_` go on working."""
    before = notebook.in_use()
    notebook.run("tensor(512)")
    notebook.run("'text'")
    assert notebook.in_use() - before == 512 * MIB
    outcome = release.run(["outputs"], notebook.shell, notebook.read)
    assert outcome.freed_bytes == 512 * MIB
    assert notebook.in_use() == before
    assert notebook.run("_ == 'text' and list(Out.values())").result == ["text"]
    assert notebook.run("_").result == ["text"]


@pytest.mark.parametrize("by_hand", [False, True])
def test_keeps_a_name_of_the_user_that_looks_like_an_output(
    notebook: Notebook, by_hand: bool
) -> None:
    """`_3 = …` is the user's, whatever `Out[3]` was; the clean-up cell keeps it as well."""
    before = notebook.in_use()
    notebook.run("tensor(512)")
    count = max(notebook.shell.user_ns["Out"])
    notebook.run(f"_{count} = 'mine'")
    if by_hand:
        notebook.run(release.cleanup_code(notebook.shell))
    else:
        release.run(["outputs"], notebook.shell, notebook.read)
    assert notebook.in_use() == before
    assert notebook.run(f"_{count}").result == "mine"


def test_keeps_displayed_values_that_a_name_holds(notebook: Notebook) -> None:
    """Taking these out of the history would free nothing."""
    notebook.run("named = tensor(512)\nnamed")
    outcome = release.run(["outputs"], notebook.shell, notebook.read)
    assert outcome.status == "nothing"
    assert len(notebook.shell.user_ns["Out"]) == 1


def test_frees_a_value_that_two_outputs_share(notebook: Notebook) -> None:
    """A view and its base are displayed; both must go for the memory to come back."""
    before = notebook.in_use()
    notebook.run("tensor(512)")
    notebook.run("_[:10]")
    release.run(["outputs"], notebook.shell, notebook.read)
    assert notebook.in_use() == before


def test_collects_garbage_and_returns_the_cache(notebook: Notebook) -> None:
    """A cycle of objects goes with the garbage, whole free segments go back to the card."""
    notebook.run(
        "class Node: pass\nnode = Node()\nnode.self = node\nnode.x = tensor(512)\ndel node"
    )
    outcome = release.run(["garbage", "cache"], notebook.shell, notebook.read)
    assert outcome.items[0] == {"id": "garbage", "freed_bytes": 512 * MIB}
    assert outcome.returned_bytes is not None
    assert outcome.returned_bytes >= 512 * MIB


def test_says_who_holds_the_rest(notebook: Notebook) -> None:
    """Where nothing can be freed, the largest holder is named."""
    release.run(None, notebook.shell, notebook.read)
    outcome = release.run(None, notebook.shell, notebook.read)
    assert outcome.status == "nothing"
    assert outcome.message["id"] == "released.nothing_held"
    assert outcome.message["params"]["name"] == "keep"
    assert outcome.still_held[0] == {"name": "keep", "kind": "tensor", "bytes": 64 * MIB}


def test_does_nothing_while_the_debugger_is_open(notebook: Notebook) -> None:
    """Typed at the prompt of `%debug`, a release refuses and leaves the frames as they are."""
    outcomes = []
    notebook.shell.user_ns["probe"] = lambda: outcomes.append(
        release.run(None, notebook.shell, notebook.read)
    )
    notebook.run("def work():\n    x = tensor(512)\n    1 / 0\nwork()")
    held = notebook.in_use()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("probe()\nq\n"))
        notebook.run("%debug")
    assert [outcome.message["id"] for outcome in outcomes] == ["released.debugging"]
    assert notebook.in_use() == held


def test_plan_measures_each_item(notebook: Notebook) -> None:
    """The plan says what each item would give; garbage cannot be measured beforehand."""
    notebook.run("tensor(256)")
    notebook.run(SCENARIOS["function"])
    expected = {item["id"]: item["expected_bytes"] for item in release.plan(notebook.shell)}
    assert expected["traceback"] == GIB
    assert expected["outputs"] == 256 * MIB
    assert expected["garbage"] is None


def test_refuses_an_item_that_there_is_not(notebook: Notebook) -> None:
    """A misspelt item is answered with the names there are."""
    with pytest.raises(ValueError, match="choose from traceback, outputs, garbage, cache"):
        release.run(["tracebacks"], notebook.shell, notebook.read)


@pytest.mark.parametrize("name", ["function", "raise from", "generator", "forward"])
def test_clean_up_cell_frees_the_same(notebook: Notebook, name: str) -> None:
    """The visible code, run as a cell, brings in use back and leaves no name behind."""
    before = notebook.in_use()
    names = set(notebook.shell.user_ns)
    notebook.run("tensor(256)")
    notebook.run(SCENARIOS[name])
    code = release.cleanup_code(notebook.shell)
    assert notebook.run(code).success
    assert notebook.in_use() == before
    made = {each for each in set(notebook.shell.user_ns) - names if not each.startswith("_")}
    assert made <= {"work", "train", "batches"}


def test_clean_up_cell_names_the_largest_variables(notebook: Notebook) -> None:
    """Deleting a variable stays the user's choice: the line is there, commented out."""
    assert "# del keep  # 64 MiB" in release.cleanup_code(notebook.shell)


def test_clean_up_cell_and_release_say_the_same_of_a_name(notebook: Notebook) -> None:
    """One number for one name: all that goes with it, a model's gradients included."""
    notebook.run(
        "model = nn.Linear(4096, 4096).cuda()\n"
        "model(torch.randn(8, 4096, device='cuda')).sum().backward()"
    )
    outcome = release.run(None, notebook.shell, notebook.read)
    (held,) = [each for each in outcome.still_held if each["name"] == "model"]
    assert held["bytes"] == 2 * (4096 * 4096 + 4096) * 4
    assert f"# del model  # {format_bytes(held['bytes'])}\n" in release.cleanup_code(notebook.shell)
    before = notebook.in_use()
    assert notebook.run("del model").success
    release.run(None, notebook.shell, notebook.read)
    assert before - notebook.in_use() == held["bytes"]


def test_leaves_the_cache_alone_while_a_graph_is_captured(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Emptying the cache would break the capture."""
    import torch

    notebook.run("x = tensor(512)\ndel x")
    monkeypatch.setattr(torch._C, "_cuda_isCurrentStreamCapturing", lambda: True, raising=False)
    assert release.run(["cache"], notebook.shell, notebook.read).returned_bytes == 0
    monkeypatch.undo()
    assert release.run(["cache"], notebook.shell, notebook.read).message["id"] == (
        "released.cache_only"
    )


def test_says_that_nothing_was_measured_while_no_framework_is_live(notebook: Notebook) -> None:
    """The driver tells its totals before; what a framework holds is then still unknown."""
    card = View(0, total_bytes=4 * GIB, free_bytes=GIB)
    driver_only = Snapshot(0, 0.0, "not_initialised", merge((), [card]))
    outcome = release.run(["garbage"], notebook.shell, lambda: driver_only)
    assert (outcome.freed_bytes, outcome.in_use_bytes) == (None, None)
    assert outcome.message["id"] == "released.not_measured"
