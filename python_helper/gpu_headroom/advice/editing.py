"""From a rewrite to an offer: in which cell it is made, and which cells run after it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..code.again import Again
from ..text.messages import message
from .code_fix import UNCHANGED, CellChange, CodeFix, Edited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..cells.runs import CellRun
    from ..edits.rewrite import Rewrite
    from ..oom.evidence import Evidence
    from ..protocol.generated.wire import Message

TEXTS = {"fix.done": "The code is changed as shown."}
_MOST_CELLS = 30
_TORCH = re.compile(r"^\s*import (?:.*,\s*)?torch(?: as (\w+))?\s*(?:[,;#].*)?$", re.MULTILINE)


def cells(evidence: Evidence) -> Iterator[CellRun]:
    """Yield the cells to look for code in: those that ran, innermost first, then all others."""
    seen: set[str] = set()
    failure = evidence.failure
    running = [cell for cell, _ in reversed(evidence.scene.places)]
    for run in [*running, failure.cell, *reversed(failure.cells[-_MOST_CELLS:])]:
        if run.key not in seen:
            seen.add(run.key)
            yield run


def sources(evidence: Evidence) -> list[str]:
    """Return the text of all cells that ran."""
    return [run.source for run in evidence.failure.cells]


def has(evidence: Evidence, pattern: str) -> bool:
    """Whether a cell that ran has this in its text."""
    return any(re.search(pattern, source) for source in sources(evidence))


def torch_name(evidence: Evidence) -> str | None:
    """Return the name that a cell imports PyTorch under; `None` where none does."""
    for run in evidence.failure.cells:
        match = _TORCH.search(run.source)
        if match is not None:
            return match[1] or "torch"
    return None


def in_first_cell(evidence: Evidence, *rewrites: Rewrite) -> CellChange | None:
    """Return the first of the rewrites that changes a cell, in the first cell that it changes."""
    for rewrite in rewrites:
        for cell in cells(evidence):
            change = CellChange(cell, 1, rewrite)
            if change.diff() is not None:
                return change
    return None


def edited(
    evidence: Evidence,
    change: CellChange | None,
    *,
    sets: str | None = None,
    done: Message | None = None,
) -> Edited:
    """Return the diff of a change, and the fix behind it where a button can make it.

    There is none where the notebook is not as the change needs it, or where the kernel does not
    know which cell is which. `sets` is what the change sets, in short; `done` what is said then.
    """
    diff = None if change is None else change.diff(sets)
    if change is None or diff is None:
        return UNCHANGED
    run = to_run(evidence, change)
    if not run or not change.suits(evidence.notebook, change.cell.source):
        return Edited((diff,))
    ran = evidence.failure.cells
    return Edited((diff,), CodeFix(change, run, done or message("fix.done", TEXTS), ran))


def to_run(evidence: Evidence, change: CellChange) -> tuple[str, ...]:
    """Return the ids of the cells to run after a change; empty where one has none."""
    cell, lines = change.place
    again = Again(evidence.notebook, evidence.way, {cell.key: lines}, evidence.live)
    known = {run.key: run.cell_id for run in evidence.failure.cells}
    ids = [known.get(key) for key in again.run()]
    return () if None in ids else tuple([each for each in ids if each is not None])
