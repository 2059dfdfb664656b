"""The fix of every remedy that edits code: rewrites of cells, proven anew on their text as it is.

A remedy says which cells change and how (`CellChange`), which cells run after that, and in one
sentence what is done; the diffs that its card shows come from the same rewrites.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..code.facts import Live
from ..code.gate import Gate
from ..code.notebook import Notebook, titles
from ..edits.hunks import as_edits, hunks, rows, whole
from ..text.messages import message
from .remedy import FixOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..cells.runs import CellRun
    from ..edits.rewrite import Rewrite
    from ..protocol.wire import Diff, Message

TEXTS = {
    "fix.changed": "The cell was edited after it failed; line {line} no longer matches.",
    "fix.missing": "The cell with line {line} is no longer in the notebook.",
}
_NOTHING = Live()


@dataclass(frozen=True, slots=True)
class CellChange:
    """A rewrite that changes `cell` as it ran; `line` is the one that a person is told of.

    Of a script `ran_by` is the cell and its line that run it.
    """

    cell: CellRun
    line: int
    rewrite: Rewrite
    ran_by: tuple[CellRun, int] | None = None

    @property
    def place(self) -> tuple[CellRun, set[int]]:
        """The cell that is another by it, and on which lines."""
        cell, line = self.ran_by or (self.cell, 0)
        return cell, {line} if line else self.lines

    @property
    def lines(self) -> set[int]:
        """The lines of the cell as it ran that it changes, or inserts something at."""
        after = self.rewrite(self.cell.source)
        found = hunks(self.cell.source, after) if after is not None else []
        ends = [(hunk.first, hunk.first + max(1, len(hunk.old))) for hunk in found]
        return {n for start, end in ends for n in range(start - 1, end)}

    def objection(self, gate: Gate, source: str) -> Message | None:
        """Return why it cannot be proven on the whole program, with its cell as `source`."""
        cell = gate.notebook.cell(self.cell.key, source)
        if cell is None:
            return message("fix.missing", TEXTS, line=self.line)
        return self.rewrite.objection(gate, cell)

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


@dataclass(frozen=True, slots=True)
class CodeFix:
    """Rewrites of one cell or several, all made or none.

    `run` are the ids of the cells to run after that, in order; `done` is what is said then. One
    without cells to run is refused, for the reason that `done` says.
    """

    changes: tuple[CellChange, ...]
    run: tuple[str, ...]
    done: Message
    ran: tuple[CellRun, ...] = ()
    files: tuple[CellRun, ...] = ()
    live: Live = _NOTHING

    def edits(self, sources: Mapping[str, str]) -> FixOutcome:
        """Change the cells as they are now; refuse where one of them is another by now.

        Decided anew on the cells as they ran and as they stand. The edit of a file has all of its
        text, as it was read: a page changes no other.
        """
        files = {each.cell.path: each.cell.source for each in self.changes if each.cell.path}
        before, gate = {**sources, **files}, self._gate(sources)
        texts, why = dict(before), None if self.run else self.done
        for change in self.changes:
            key = change.cell.key
            after = change.rewrite(texts[key]) if key in texts else None
            if after is None:
                said = "fix.changed" if key in texts else "fix.missing"
                why = message(said, TEXTS, line=change.line)
            else:
                texts[key] = after
                why = why or change.objection(gate, before[key])
            if why is not None:
                return FixOutcome("changed", (), (), why)
        edits = [
            edit
            for key, after in texts.items()
            for edit in as_edits(key, (whole if key in files else hunks)(before[key], after))
        ]
        return FixOutcome("ok", tuple(edits), self.run, self.done)

    def _gate(self, sources: Mapping[str, str]) -> Gate:
        ran = [(run.key, run.source) for run in self.ran]
        notebook = Notebook.of([*sources.items(), *ran], titles(self.ran), self.files)
        return Gate(notebook, self.live)


def diffs_of(*changes: CellChange, sets: str | None = None) -> tuple[Diff, ...] | None:
    """Return the diffs of changes, a cell each; `None` where one of them changes nothing.

    `sets` is what the first of them sets, where that can be said in short: `batch_size = 32`.
    """
    diffs = [change.diff(sets if n == 0 else None) for n, change in enumerate(changes)]
    return None if None in diffs else tuple([diff for diff in diffs if diff is not None])
