"""The fix behind an edit's button: rewrites of cells, made on their text as it is at the click.

Which cell is changed, and which cells run after it, is decided with the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..code.beside import beside
from ..code.notebook import Notebook
from ..text.messages import message
from .again import Again
from .hunks import as_edits, hunks, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Literal

    from ..advice.remedy import Shown
    from ..cells.runs import CellRun
    from ..oom.evidence import Evidence
    from ..protocol.generated.wire import Diff, Edit, Message
    from .rewrite import Rewrite

TEXTS = {
    "fix.done": "The code is changed as shown.",
    "fix.changed": "The cell was edited after it failed; line {line} no longer matches.",
    "fix.missing": "The cell with line {line} is no longer in the notebook.",
    "fix.file_changed": "{file} was changed after it ran.",
    "fix.used_otherwise": "The notebook has changed since, so the edit no longer applies.",
}
_MOST_CELLS = 30


@dataclass(frozen=True, slots=True)
class CellChange:
    """A rewrite of `cell`, in the text that ran; `line` is the line that the report names.

    For a script, `ran_by` is the cell that runs it, with its line.
    """

    cell: CellRun
    line: int
    rewrite: Rewrite
    ran_by: tuple[CellRun, int] | None = None

    @property
    def place(self) -> tuple[CellRun, set[int]]:
        """The cell that is another by it, and the lines that change or have something new there."""
        if self.ran_by is not None:
            return self.ran_by[0], {self.ran_by[1]}
        after = self.rewrite(self.cell.source)
        diff = hunks(self.cell.source, after) if after is not None else []
        ends = [(hunk.first, hunk.first + max(1, len(hunk.old))) for hunk in diff]
        return self.cell, {n for start, end in ends for n in range(start - 1, end)}

    def suits(self, notebook: Notebook, source: str) -> bool:
        """Return whether the notebook, with its cell as `source`, is as the change needs it."""
        needs, cell = self.rewrite.needs, notebook.cell(self.cell.key, source)
        return needs is None or (cell is not None and needs(notebook, cell))

    def diff(self, sets: str | None = None) -> Diff | None:
        """Return what it changes in the cell as it ran; `None` if nothing."""
        before = self.cell.source
        after = self.rewrite(before)
        if after is None:
            return None
        return {
            "cell_id": self.cell.cell_id,
            "file": self.cell.path,
            "execution_count": self.cell.execution_count,
            "rows": rows(before, after),
            "sets": sets,
        }


class FixOutcome(NamedTuple):
    """The edit of a fix for the cells as they are now; `run` are cell ids in order."""

    status: Literal["ok", "changed"]
    message: Message
    edits: tuple[Edit, ...] = ()
    run: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeFix:
    """A rewrite of one cell or file; `done` is what is said once it is made.

    `run` are the ids of the cells to run after that, in order; `ran` the cells as they ran.
    """

    change: CellChange
    run: tuple[str, ...]
    done: Message
    ran: tuple[CellRun, ...] = ()

    def edits(self, sources: Mapping[str, str]) -> FixOutcome:
        """Change the cell as it is now; refuse where it, or what the change needs, is another.

        The edit of a file has all of its text, as it was read: a page changes no other.
        """
        change = self.change
        key, path, line = change.cell.key, change.cell.path, change.line
        before = change.cell.source if path else sources.get(key)
        if before is None:
            return FixOutcome("changed", message("fix.missing", TEXTS, line=line))
        file = beside(change.cell.filename or key) if path else None
        if path and (file is None or file.source != before):
            return FixOutcome("changed", message("fix.file_changed", TEXTS, file=path))
        after = change.rewrite(before)
        if after is None:
            return FixOutcome("changed", message("fix.changed", TEXTS, line=line))
        notebook = Notebook.of([*sources.items(), *((run.key, run.source) for run in self.ran)])
        if not change.suits(notebook, before):
            return FixOutcome("changed", message("fix.used_otherwise", TEXTS))
        edits = as_edits(key, before, after)
        if path:
            old, new = before.split("\n"), after.split("\n")
            edits = [{"cell_id": key, "first_line": 1, "old_lines": old, "new_lines": new}]
        return FixOutcome("ok", self.done, tuple(edits), self.run)


def _cells(evidence: Evidence) -> Iterator[CellRun]:
    """Yield the cells to look for code in: those that ran, innermost first, then all others."""
    seen: set[str] = set()
    failure = evidence.failure
    running = [cell for cell, _ in reversed(evidence.scene.places)]
    for run in [*running, failure.cell, *reversed(failure.cells[-_MOST_CELLS:])]:
        if run.key not in seen:
            seen.add(run.key)
            yield run


def in_first_cell(evidence: Evidence, *rewrites: Rewrite) -> CellChange | None:
    """Return the first of the rewrites that changes a cell, in the first cell that it changes."""
    for rewrite in rewrites:
        for cell in _cells(evidence):
            change = CellChange(cell, 1, rewrite)
            if change.diff() is not None:
                return change
    return None


def edited(
    evidence: Evidence,
    shown: Shown,
    change: CellChange | None,
    *,
    sets: str | None = None,
    done: Message | None = None,
) -> Shown:
    """Show a change instead of an example, with a fix if a button can apply it.

    There is no fix if the notebook does not suit the change, or if the kernel has no ids of the
    cells. `sets` is what the change sets, in short; `done` the message after it.
    """
    diff = None if change is None else change.diff(sets)
    if change is None or diff is None:
        return shown
    run, fix = to_run(evidence, change), None
    if run and change.suits(evidence.notebook, change.cell.source):
        ran = evidence.failure.cells
        fix = CodeFix(change, run, done or message("fix.done", TEXTS), ran)
    return shown._replace(diffs=(diff,), fix=fix, example=None)


def to_run(evidence: Evidence, change: CellChange) -> tuple[str, ...]:
    """Return the ids of the cells to run after a change; empty where one has none."""
    (cell, lines), failure, scene = change.place, evidence.failure, evidence.scene
    last = failure.cell.key
    before = [run.key for run in (*scene.files, *failure.cells) if run.key != last]
    line = max([line for run, line in scene.steps if run.key == last], default=None)
    again = Again(evidence.notebook, [*before, last], line, {cell.key: lines}, evidence.live)
    cell_ids = {run.key: run.cell_id for run in failure.cells}
    ids = [cell_ids.get(key) for key in again.run()]
    return () if None in ids else tuple([cell_id for cell_id in ids if cell_id is not None])
