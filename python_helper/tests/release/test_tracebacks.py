"""The errors of failed cells: every place that keeps one lets go of it, and nothing else goes."""

from __future__ import annotations

import gc
import io
from typing import TYPE_CHECKING

import pytest
from gpu_headroom import release
from gpu_headroom.text.format import GIB, MIB

if TYPE_CHECKING:
    from tests.notebook import Notebook

NESTED = """
def outer():
    a = tensor(512)
    def inner():
        b = tensor(512)
        fail()
    inner()
outer()"""


KEPT = {
    "in a variable": "kept = error",
    "in a list": "kept = [error]",
    "behind another error": "kept = ValueError()\n    kept.__cause__ = error",
}


@pytest.mark.parametrize("how", KEPT)
def test_leaves_an_error_that_the_user_keeps(notebook: Notebook, how: str) -> None:
    """Remembered by IPython, too, it is hers: its traceback goes only where she agrees."""
    before = notebook.in_use()
    notebook.run(
        "def work():\n    x = tensor(1024)\n    fail()\n"
        f"try:\n    work()\nexcept RuntimeError as error:\n    {KEPT[how]}\n    raise"
    )
    assert notebook.in_use() - before == GIB
    items = {each["id"]: each["expected_bytes"] for each in release.plan(notebook.situation())}
    assert (items["traceback"], items["error:kept"]) == (0, GIB)
    for written in (False, True):
        if written:
            assert notebook.run(release.cleanup_code(notebook.situation())).success
        else:
            release.run(None, notebook.situation(), notebook.read)
        assert notebook.in_use() - before == GIB
    release.run(["error:kept"], notebook.situation(), notebook.read, ["error:kept"])
    assert notebook.in_use() == before
    assert "kept" in notebook.shell.user_ns


def test_frees_what_the_debugger_was_left_with(notebook: Notebook) -> None:
    """After `%debug` and `q` the old failure is let go, too, even behind a newer one."""
    before = notebook.in_use()
    notebook.run(NESTED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("q\n"))
        notebook.run("%debug")
    notebook.run("1 / 0")
    outcome = release.run(None, notebook.situation(), notebook.read)
    assert notebook.in_use() == before
    assert {each["id"]: each["freed_bytes"] for each in outcome.items}["traceback"] == GIB


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
    release.run(None, notebook.situation(), notebook.read)
    assert notebook.run("rest = list(numbers)").success
    assert notebook.shell.user_ns["rest"] == [2, 3, 4]


def test_does_nothing_while_the_debugger_is_open(notebook: Notebook) -> None:
    """Typed at the prompt of `%debug`, a release refuses and leaves the frames as they are."""
    outcomes = []
    notebook.shell.user_ns["probe"] = lambda: outcomes.append(
        release.run(None, notebook.situation(), notebook.read)
    )
    notebook.run("def work():\n    x = tensor(512)\n    1 / 0\nwork()")
    held = notebook.in_use()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("probe()\nq\n"))
        notebook.run("%debug")
    assert [outcome.message["id"] for outcome in outcomes] == ["released.debugging"]
    assert notebook.in_use() == held


FAILURES = {
    "timed": "def work():\n    x = tensor(512)\n    fail()\n%time work()",
    "cell timed": "%%time\ndef work():\n    x = tensor(512)\n    fail()\nwork()",
    "captured": "%%capture\ndef work():\n    x = tensor(512)\n    fail()\nwork()",
    "shown": "class A:\n    def __repr__(self):\n        x = tensor(512)\n        fail()\nA()",
    "in exec": "exec('def work():\\n    x = tensor(512)\\n    fail()\\nwork()')",
    "interrupted": "def work():\n    x = tensor(512)\n    raise KeyboardInterrupt\nwork()",
    "exits": "def work():\n    x = tensor(512)\n    raise SystemExit\nwork()",
    "while handling": (
        "def work():\n    x = tensor(256)\n    try:\n        fail()\n    finally:\n"
        "        y = tensor(256)\n        1 / 0\nwork()"
    ),
    "on two levels": (
        "def run():\n    x = tensor(512)\n    get_ipython().run_cell('fail()')\n    fail()\nrun()"
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_frees_what_a_failure_keeps(notebook: Notebook, name: str) -> None:
    """The plan foretells what comes back, whatever way the cell was run."""
    before = notebook.in_use()
    notebook.run(FAILURES[name])
    held = notebook.in_use() - before
    foretold = {each["id"]: each["expected_bytes"] for each in release.plan(notebook.situation())}[
        "traceback"
    ]
    outcome = release.run(None, notebook.situation(), notebook.read)
    assert notebook.in_use() == before
    assert foretold == outcome.freed_bytes == held


def test_frees_behind_an_error_of_syntax(notebook: Notebook) -> None:
    """The next cell does not compile; the earlier error is still remembered, and is let go."""
    before = notebook.in_use()
    notebook.run(NESTED)
    notebook.run("this is no Python")
    release.run(None, notebook.situation(), notebook.read)
    assert notebook.in_use() == before


def test_says_politely_that_there_is_nothing_to_debug(notebook: Notebook) -> None:
    """`%tb` and `%debug` do not fail after a release; they have nothing to show."""
    notebook.run(NESTED)
    release.run(["traceback"], notebook.situation(), notebook.read)
    assert notebook.run("%tb").success
    assert "No traceback" in notebook.printed
    assert notebook.run("%debug").success


def test_does_not_promise_what_a_name_holds_as_well(notebook: Notebook) -> None:
    """An argument of the failed function that a variable names stays, and is not counted."""
    notebook.run("named = tensor(256)\ndef work(x):\n    y = tensor(64)\n    fail()\nwork(named)")
    items = {each["id"]: each["expected_bytes"] for each in release.plan(notebook.situation())}
    assert items["traceback"] == 64 * MIB
    outcome = release.run(["traceback"], notebook.situation(), notebook.read)
    assert outcome.freed_bytes == 64 * MIB


def test_counts_a_variable_that_the_failed_function_was_given(notebook: Notebook) -> None:
    """Its traceback keeps it, too, but is in the safe set: the variable's row has its bytes."""
    notebook.run("named = tensor(256)\ndef work(x):\n    fail()\nwork(named)")
    items = {each["id"]: each["expected_bytes"] for each in release.plan(notebook.situation())}
    assert items["variable:named"] == 256 * MIB
