"""End a cell's last line in `;`, so that its value is not kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...edits.garbage import not_displayed
from ...text.messages import message
from ..code_fix import CellChange
from ..editing import edited
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("displayed-values",)
TEXTS = {
    "remedy.end-in-semicolon": "End the line that displays it in `;`",
    "remedy.end-in-semicolon.note": (
        "IPython then neither shows the value nor keeps it in `Out`. To look at it, print it."
    ),
}
_NUMBER = re.compile(r"\d+")


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where displayed values hold a good part."""
    kept = finding.about if finding is not None else ()
    if not kept:
        return None
    counts = {int(match[0]) for group in kept if (match := _NUMBER.search(group.root))}
    cells = [run for run in evidence.failure.cells if run.execution_count in counts]
    failing = evidence.failure.cell
    every = [
        CellChange(run, len(run.source.rstrip().split("\n")), not_displayed())
        for run in [*cells, *([] if failing in cells else [failing])]
    ]
    changes = [change for change in every if change.diff() is not None]
    return Offer(
        title=message("remedy.end-in-semicolon", TEXTS),
        note=message("remedy.end-in-semicolon.note", TEXTS),
        effect_bytes=sum(group.bytes for group in kept),
        measured=True,
        edited=edited(evidence, changes, by_itself=True),
    )
