"""Remedies with a button: what their edits do to a cell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from gpu_headroom.code.literals import literals_in
from gpu_headroom.text.format import GIB
from tests.advice.cases import cell, evidence, offers, smaller_batch


def test_shows_the_line_before_and_after() -> None:
    """The diff is of the cell that failed, with its number."""
    (diff,) = smaller_batch().remedy["diffs"]
    assert (diff["execution_count"], diff["sets"]) == (7, "batch_size = 256")
    assert [(row["sign"], row["line"], row["text"]) for row in diff["rows"]] == [
        ("-", 1, "batch_size = 1024"),
        ("+", 1, "batch_size = 256"),
    ]


def test_offers_no_edit_that_changes_nothing() -> None:
    """Where the changed cell would not read as it should, there is neither button nor text."""
    source = "batch_size = 1024"
    (literal,) = literals_in(cell(source), source)
    moved = replace(literal, value=1000)
    choices = offers(evidence(source=source, batch=moved, batch_bytes=9 * GIB))
    assert "smaller-batch" not in [offer.remedy["id"] for offer in choices]


def test_edits_the_cell_as_it_is_now() -> None:
    """The edit is made in the text that was sent, and names the cells to run."""
    outcome = smaller_batch().shown.fix.edits(
        {"failing": "batch_size = 1024  # large\ntrain(batch_size)"}
    )
    assert outcome.status == "ok"
    assert outcome.edits == (
        {
            "cell_id": "failing",
            "first_line": 1,
            "old_lines": ["batch_size = 1024  # large"],
            "new_lines": ["batch_size = 256  # large"],
        },
    )
    assert outcome.run == ("failing",)


def test_follows_a_line_that_has_moved() -> None:
    """A cell edited elsewhere still has the line."""
    outcome = smaller_batch().shown.fix.edits({"failing": "import torch\n\nbatch_size = 1024"})
    assert outcome.edits[0]["first_line"] == 3


@pytest.mark.parametrize(
    "source",
    [
        "batch_size = 512",
        "x = 1",
        "",
        "batch_size = 1024)",
        "x = 1\nbatch_size = 1024; batch_size = 1024",
    ],
)
def test_refuses_a_cell_that_has_changed(source: str) -> None:
    """Nothing is edited that does not match, and a sentence says why."""
    outcome = smaller_batch().shown.fix.edits({"failing": source})
    assert (outcome.status, outcome.edits, outcome.run) == ("changed", (), ())
    assert outcome.message["text"] == (
        "The cell was edited after it failed; line 1 no longer matches."
    )


def test_refuses_a_cell_that_is_gone() -> None:
    """The cell with the literal was deleted."""
    outcome = smaller_batch().shown.fix.edits({"other": "batch_size = 1024"})
    assert (outcome.status, outcome.message["id"]) == ("changed", "fix.missing")


def elsewhere(*between: Any) -> Any:
    """Offer a smaller batch that an earlier cell sets."""
    defining = cell("batch_size = 1024", "sizes", 2)
    (literal,) = literals_in(defining, defining.source)
    (offer,) = offers(
        evidence(
            source="for x in loader:\n    step(x)",
            cells=(defining, *between),
            batch=literal,
            batch_bytes=9 * GIB,
        )
    )
    return offer


def test_names_the_cell_that_sets_the_batch() -> None:
    """Both cells and what lies between are run, the defining one first."""
    offer = elsewhere(cell("loader = DataLoader(data, batch_size)", "loader", 3))
    assert offer.remedy["title"]["text"].endswith("(line 1 of In [2])")
    outcome = offer.shown.fix.edits({"sizes": "batch_size = 1024"})
    assert outcome.run == ("sizes", "loader", "failing")


def test_is_advice_where_cells_have_no_identity() -> None:
    """In a terminal nothing can be edited; the diff says what to do."""
    source = "batch_size = 1024"
    facts = evidence(source=source, batch_bytes=9 * GIB)
    anonymous = replace(facts.failure.cell, cell_id=None)
    (literal,) = literals_in(anonymous, source)
    failure = replace(facts.failure, cell=anonymous, cells=(anonymous,))
    (offer,) = offers(replace(facts, batch=literal, failure=failure))
    assert (offer.remedy["kind"], offer.shown.fix) == ("suggestion", None)
    assert offer.remedy["diffs"]
