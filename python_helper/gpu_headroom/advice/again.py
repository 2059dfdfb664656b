"""Whether the cells that an edit has to run again may: `code/again.py`, asked of a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..code.again import Again
from ..code.notebook import CodePlace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..cells.runs import CellRun
    from ..oom.evidence import Evidence
    from ..protocol.wire import Message
    from .code_fix import CellChange

TEXTS = {
    "again.stale": (
        "No button: {cell} would run again, and `{name}` is not what it was then (now of {other}, "
        "line {line})."
    ),
    "again.trained": (
        "No button: {cell} would train once more what has been trained to the end, line {line}."
    ),
}


def makers(
    evidence: Evidence, run: Sequence[CellRun], changes: Sequence[CellChange]
) -> list[CellRun]:
    """Return the cells that have to run again, too, for these to find what they found then."""
    keys = {cell_run.key for cell_run in run}
    wanted = {
        maker.key
        for *_, maker in _asked(evidence, changes).stale(keys)
        if maker is not None and maker.key not in keys
    }
    return [cell_run for cell_run in evidence.failure.cells if cell_run.key in wanted]


def objection(
    evidence: Evidence, run: Sequence[CellRun], changes: Sequence[CellChange]
) -> Message | None:
    """Return why these cells must not run again; `None` if they may."""
    asked, keys = _asked(evidence, changes), {cell_run.key for cell_run in run}
    place = asked.trained(keys)
    if place is not None:
        return place.says("again.trained", TEXTS)
    for name, cell, where, _ in asked.stale(keys):
        now = where.cell.title
        return CodePlace(cell, where.line).says("again.stale", TEXTS, name=name, other=now)
    return None


def _asked(evidence: Evidence, changes: Sequence[CellChange]) -> Again:
    failure, gate = evidence.failure, evidence.gate
    ended = {run.key for run in failure.cells if run.status == "ok"}
    edited = {cell.key: lines for cell, lines in (change.place for change in changes)}
    return Again(gate.notebook, evidence.way, gate.live.lengths, ended, edited)
