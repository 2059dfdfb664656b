"""The whole text of cells that a fix changes, for a page that cannot edit but insert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..edits.applied import applied

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..cells.runs import CellRun
    from ..protocol import wire
    from ..protocol.wire import ChangedCell


def changed_cells(reply: wire.Reply, runs: Iterable[CellRun]) -> list[ChangedCell] | None:
    """Return what the edits of a `fix` reply make of the cells as they ran, in that order.

    `None` where the reply has no edits. The edits were proven on these very texts.
    """
    if reply["type"] != "fix" or reply["status"] != "ok":
        return None
    ran = sorted(runs, key=lambda cell_run: cell_run.start_s)
    changed: list[ChangedCell] = []
    for run in ran:
        edits = [edit for edit in reply["edits"] if edit["cell_id"] == run.cell_id]
        if run.cell_id is None or not edits:
            continue
        changed.append(
            {
                "cell_id": run.cell_id,
                "execution_count": run.execution_count,
                "source": applied(run.source, edits),
            }
        )
    return changed
