"""Keep the data on the host, and move each batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.per_batch import (
    kept_on_host,
    moved_per_batch,
    moves_of,
    slices_moved,
)
from ...text.messages import message
from ..code_fix import CellChange
from ..editing import cells, edited, in_first_cell
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("data-on-card",)
TEXTS = {
    "remedy.move-per-batch": "Keep the data on the host and move each batch",
    "remedy.move-per-batch.note": (
        "A batch at a time is on the GPU. Moving takes time: `pin_memory=True` and "
        "`non_blocking=True` hide most of it."
    ),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where a data set stands on the card, or is being put there."""
    if finding is None:
        return None
    data = finding.about
    names = [group.name for group in data]
    changes = in_first_cell(evidence, moved_per_batch(*names)) if names else None
    if changes is None:
        changes = _in_two_cells(evidence, names)
    size = sum(group.bytes for group in data) or evidence.temporary_bytes
    return Offer(
        title=message("remedy.move-per-batch", TEXTS),
        note=message("remedy.move-per-batch.note", TEXTS),
        effect_bytes=size or None,
        measured=bool(data),
        edited=edited(evidence, changes),
    )


def _in_two_cells(evidence: Evidence, names: list[str]) -> tuple[CellChange, ...] | None:
    """Change the cell that moves the data, and the one that uses them."""
    failing = evidence.failure.cell
    for cell in cells(evidence) if names else ():
        moves = moves_of(cell.source, *names)
        if not moves or cell.key == failing.key:
            continue
        host = CellChange(cell, 1, kept_on_host(*moves, used_in=failing.key))
        use = CellChange(failing, evidence.line or 1, slices_moved(moves, cell.key))
        if host.diff() is not None and use.diff() is not None:
            return host, use
    return None
