"""Whole sources of the cells that a fix changes, for a front end that can only insert cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..cells.runs import CellRun
    from ..protocol.generated import wire
    from ..protocol.generated.wire import ChangedCell, Edit


def changed_cells(reply: wire.Reply, runs: Iterable[CellRun]) -> list[ChangedCell] | None:
    """Return the cells that a `fix` reply changes, with their new sources, in order of their runs.

    `None` where the reply has no edits. The edits were made for these very sources.
    """
    if reply["type"] != "fix" or reply["status"] != "ok":
        return None
    cells: list[ChangedCell] = []
    for run in sorted(runs, key=lambda cell_run: cell_run.start_s):
        edits = [edit for edit in reply["edits"] if edit["cell_id"] == run.cell_id]
        if run.cell_id is not None and edits:
            source, count = _applied(run.source, edits), run.execution_count
            cells.append({"cell_id": run.cell_id, "execution_count": count, "source": source})
    return cells


def _applied(source: str, edits: Iterable[Edit]) -> str:
    """Return a cell's source with these edits applied."""
    lines = source.split("\n")
    # From the last line up, so that earlier edits keep their line numbers.
    for edit in sorted(edits, key=lambda change: change["first_line"], reverse=True):
        first = edit["first_line"] - 1
        lines[first : first + len(edit["old_lines"])] = edit["new_lines"]
    return "\n".join(lines)
