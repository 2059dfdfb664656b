"""The errors of failed cells: every place that keeps one lets go of it, and nothing else goes."""

from __future__ import annotations

import gc
import io
import sys
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.text.format import GIB, MIB

if TYPE_CHECKING:
    from tests.notebook import Notebook

WORK = "def work():\n    x = tensor(1024)\n    fail()\n"
FAILURES = {
    "function": f"{WORK}work()",
    "timed": f"{WORK}%time work()",
    "captured": f"%%capture\n{WORK}work()",
    "interrupted": f"{WORK.replace('fail()', 'raise KeyboardInterrupt')}work()",
    "exits": f"{WORK.replace('fail()', 'raise SystemExit')}work()",
    "shown": "class A:\n    def __repr__(self):\n        x = tensor(1024)\n        fail()\nA()",
    "on two levels": """
def run():
    x = tensor(1024)
    get_ipython().run_cell('fail()')
    fail()
run()""",
    "nested": """
def outer():
    a = tensor(512)
    def inner():
        b = [tensor(512)]
        fail()
    inner()
outer()""",
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
    "while handling": """
def work():
    x = tensor(512)
    try:
        fail()
    finally:
        y = tensor(512)
        1 / 0
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
    "group": """
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
work()""",
}
if sys.version_info < (3, 11):
    del FAILURES["group"]


@pytest.mark.parametrize("name", FAILURES)
def test_frees_what_a_failure_keeps(notebook: Notebook, name: str) -> None:
    """The plan foretells what comes back, whatever way the cell was run; no variable is lost."""
    before = notebook.in_use()
    notebook.run(FAILURES[name])
    size = notebook.in_use() - before
    assert size >= GIB
    expected = notebook.plan()["traceback"]["expected_bytes"]
    assert expected == notebook.free().freed_bytes == size
    assert notebook.in_use() == before
    assert notebook.shell.user_ns["keep"].numel() == 64 * MIB


@pytest.mark.parametrize(
    "name", sorted(FAILURES.keys() & {"raise from", "generator", "forward", "group"})
)
def test_a_clean_up_cell_frees_the_same(notebook: Notebook, name: str) -> None:
    """Of a failure and of what was displayed before it."""
    before = notebook.in_use()
    notebook.run("tensor(256)")
    notebook.run(FAILURES[name])
    notebook.clean_up()
    assert notebook.in_use() == before


HOLDERS = {
    "in a variable": "kept = error",
    "in a list": "kept = [error]",
    "behind another error": "kept = ValueError()\n    kept.__cause__ = error",
}


@pytest.mark.parametrize("how", HOLDERS)
def test_leaves_an_error_that_the_user_keeps(notebook: Notebook, how: str) -> None:
    """Remembered by IPython, too, it is hers: its traceback goes only where she agrees."""
    before = notebook.in_use()
    notebook.run(
        f"{WORK}try:\n    work()\nexcept RuntimeError as error:\n    {HOLDERS[how]}\n    raise"
    )
    assert notebook.in_use() - before == GIB
    items = {name: item["expected_bytes"] for name, item in notebook.plan().items()}
    assert (items["traceback"], items["error:kept"]) == (0, GIB)
    for free in (notebook.free, notebook.clean_up):
        free()
        assert notebook.in_use() - before == GIB
    notebook.free("error:kept")
    assert notebook.in_use() == before
    assert "kept" in notebook.shell.user_ns


@pytest.mark.parametrize("by_hand", [False, True])
def test_frees_what_the_debugger_was_left_with(notebook: Notebook, *, by_hand: bool) -> None:
    """After `%debug` and `q` the old failure is let go, too, even behind a newer one."""
    before = notebook.in_use()
    notebook.run(FAILURES["nested"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("q\n"))
        notebook.run("%debug")
    notebook.run("1 / 0")
    (notebook.clean_up if by_hand else notebook.free)("traceback")
    assert notebook.in_use() == before


@pytest.mark.parametrize("frozen", [False, True])
def test_leaves_a_suspended_generator_alone(notebook: Notebook, frozen: bool) -> None:
    """A generator that a failed function was iterating goes on afterwards.

    `gc.freeze` hides it from the gc.
    """
    notebook.run(
        "def count():\n    x = tensor(128)\n    for n in range(5):\n        yield n\n"
        "numbers = count()\nfirst = next(numbers)"
    )
    if frozen:
        gc.freeze()
    notebook.run(
        "def work():\n    big = tensor(512)\n    for n in numbers:\n        fail()\nwork()"
    )
    notebook.free()
    assert notebook.run("rest = list(numbers)").success
    assert notebook.shell.user_ns["rest"] == [2, 3, 4]


def test_does_nothing_while_the_debugger_is_open(notebook: Notebook) -> None:
    """Typed at the prompt of `%debug`, a release refuses and leaves the frames as they are."""
    outcomes = []
    notebook.shell.user_ns["probe"] = lambda: outcomes.append(notebook.free())
    notebook.run(WORK.replace("fail()", "1 / 0") + "work()")
    before = notebook.in_use()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("probe()\nq\n"))
        notebook.run("%debug")
    assert [outcome.message["id"] for outcome in outcomes] == ["released.debugging"]
    assert notebook.in_use() == before


def test_frees_behind_an_error_of_syntax(notebook: Notebook) -> None:
    """The next cell does not compile; the earlier error is still remembered, and is let go."""
    before = notebook.in_use()
    notebook.run(FAILURES["nested"])
    notebook.run("this is no Python")
    notebook.free()
    assert notebook.in_use() == before


def test_says_politely_that_there_is_nothing_to_debug(notebook: Notebook) -> None:
    """`%tb` and `%debug` do not fail after a release; they have nothing to show."""
    notebook.run(FAILURES["function"])
    notebook.free("traceback")
    assert notebook.run("%tb").success
    assert "No traceback" in notebook.printed
    assert notebook.run("%debug").success


def test_does_not_promise_what_a_name_holds_as_well(notebook: Notebook) -> None:
    """An argument that a variable names stays, and its bytes stand in the variable's row."""
    notebook.run("named = tensor(256)\ndef work(x):\n    y = tensor(64)\n    fail()\nwork(named)")
    items = {name: item["expected_bytes"] for name, item in notebook.plan().items()}
    assert (items["traceback"], items["variable:named"]) == (64 * MIB, 256 * MIB)
    assert notebook.free("traceback").freed_bytes == 64 * MIB
