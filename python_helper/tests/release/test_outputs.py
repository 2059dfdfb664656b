"""Displayed values that no name holds: which are found, and that the history goes on working."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.text.format import MIB

if TYPE_CHECKING:
    from tests.notebook import Notebook


def rows(notebook: Notebook) -> dict[str, int | None]:
    """Return what each displayed value would give, by its id."""
    items = notebook.plan().items()
    return {name: item["expected_bytes"] for name, item in items if item["kind"] == "outputs"}


def test_frees_displayed_values_that_no_name_holds(notebook: Notebook) -> None:
    """A displayed tensor goes, `Out` and `_` go on working."""
    before = notebook.in_use()
    notebook.run("tensor(512)")
    notebook.run("'text'")
    assert notebook.in_use() - before == 512 * MIB
    outcome = notebook.free("outputs")
    assert outcome.freed_bytes == 512 * MIB
    assert notebook.in_use() == before
    assert notebook.run("_ == 'text' and list(Out.values())").result == ["text"]
    assert notebook.run("_").result == ["text"]


def test_is_not_misled_by_a_displayed_value_that_leads_nowhere(notebook: Notebook) -> None:
    """A simulation that was displayed first hides no tensor that was displayed after it."""
    before = notebook.in_use()
    notebook.run("import gpu_headroom.simulate; gpu_headroom.simulate.active()")
    notebook.run("tensor(512)")
    assert list(rows(notebook).values()) == [512 * MIB]
    notebook.free()
    assert notebook.in_use() == before


@pytest.mark.parametrize("by_hand", [False, True])
def test_keeps_a_name_of_the_user_that_looks_like_an_output(
    notebook: Notebook, *, by_hand: bool
) -> None:
    """`_3 = …` is the user's, whatever `Out[3]` was; the clean-up cell keeps it as well."""
    before = notebook.in_use()
    notebook.run("tensor(512)")
    count = max(notebook.shell.user_ns["Out"])
    notebook.run(f"_{count} = 'mine'")
    (notebook.clean_up if by_hand else notebook.free)("outputs")
    assert notebook.in_use() == before
    assert notebook.run(f"_{count}").result == "mine"


def test_code_is_not_misled_by_what_nothing_reaches(notebook: Notebook) -> None:
    """A cycle that was not collected yet does not count as a holder of a displayed value."""
    before = notebook.in_use()
    notebook.run("tensor(512)")
    notebook.run("cycle = [_]\ncycle.append(cycle)\ndel cycle")
    notebook.clean_up()
    assert notebook.in_use() == before


def test_keeps_displayed_values_that_a_name_holds(notebook: Notebook) -> None:
    """Taking these out of the history would free nothing."""
    notebook.run("named = tensor(512)\nnamed")
    outcome = notebook.free("outputs")
    assert outcome.status == "nothing"
    assert len(notebook.shell.user_ns["Out"]) == 1


def test_gives_each_displayed_value_a_row(notebook: Notebook) -> None:
    """A plan has a row for each, with its own bytes, and each can be freed by itself."""
    first = notebook.run("tensor(64)").execution_count
    second = notebook.run("[tensor(32)]").execution_count
    ids = [run.as_wire("helper")["output_id"] for run in notebook.ledger.runs()]
    assert ids[-2:] == [f"output:{first}", f"output:{second}"]
    notebook.run("'text'")
    assert rows(notebook) == {f"output:{first}": 64 * MIB, f"output:{second}": 32 * MIB}
    before = notebook.in_use()
    notebook.free(f"output:{second}")
    assert before - notebook.in_use() == 32 * MIB
    assert rows(notebook) == {f"output:{first}": 64 * MIB}


def test_has_one_row_for_values_that_share_memory(notebook: Notebook) -> None:
    """One of a tensor and its view gives nothing: they stand in one row, and go together."""
    first = notebook.run("tensor(64)").execution_count
    notebook.run("_[:10]")
    notebook.run("'text'")
    notebook.run("'text'")
    assert rows(notebook) == {f"output:{first}": 64 * MIB}
    before = notebook.in_use()
    notebook.free(f"output:{first}")
    assert before - notebook.in_use() == 64 * MIB


@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.parametrize(
    "forget",
    [
        "Out.clear()",
        "%reset -f out",
        (
            "Out.clear()\nfor n in list(globals()):\n"
            "    if n.startswith('_') and n.strip('_').isdigit(): del globals()[n]"
        ),
    ],
)
def test_finds_what_ipython_has_only_half_forgotten(
    notebook: Notebook, forget: str, *, by_hand: bool
) -> None:
    """A value stays in `_5`, in `_` and in the hidden namespace after `Out` has been cleared."""
    before = notebook.in_use()
    notebook.run("tensor(64)")
    notebook.run(forget)
    (notebook.clean_up if by_hand else notebook.free)("outputs")
    assert notebook.in_use() == before
    assert notebook.run("_").success
    assert notebook.run("Out").success


def test_frees_the_frames_of_an_error_that_was_displayed(notebook: Notebook) -> None:
    """An error in `Out[5]` keeps a whole traceback; no name holds it, so it may go."""
    before = notebook.in_use()
    notebook.run(
        "def work():\n    x = tensor(64)\n    raise ValueError\n"
        "def run():\n    try:\n        work()\n"
        "    except ValueError as error:\n        return error\n"
        "run()"
    )
    assert list(rows(notebook).values()) == [64 * MIB]
    notebook.free("outputs")
    assert notebook.in_use() == before


def test_leaves_the_users_own_underscore_alone(notebook: Notebook) -> None:
    """`_` that the user has assigned is a variable of theirs."""
    notebook.run("_ = tensor(64)")
    assert rows(notebook) == {}
    notebook.free("outputs")
    assert notebook.run("_.numel()").result == 64 * MIB


def test_lists_nothing_that_has_no_gpu_memory(notebook: Notebook) -> None:
    """Text and numbers are no rows."""
    notebook.run("list(range(1000))")
    assert rows(notebook) == {}


def test_a_failed_repr_is_no_reason_to_keep_its_object(notebook: Notebook) -> None:
    """What a traceback keeps as well goes in the same release: safe items are judged together."""
    before = notebook.in_use()
    notebook.run(
        "class Report:\n    def __init__(self):\n        self.x = tensor(64)\n"
        "    def __repr__(self):\n        y = tensor(32)\n        fail()\nReport()"
    )
    assert list(rows(notebook).values()) == [64 * MIB]
    notebook.free()
    assert notebook.in_use() == before
