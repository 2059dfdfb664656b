"""A limit of one's own is lifted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.fraction import unlimited
from ...text.messages import message
from ..editing import edited, in_first_cell
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("memory-fraction",)
TEXTS = {
    "remedy.raise-fraction": "Let PyTorch take the whole card",
    "remedy.raise-fraction.note": ("Who shares the card may run out of memory."),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where the driver has what the limit keeps from PyTorch."""
    if finding is None:
        return None
    return Offer(
        title=message("remedy.raise-fraction", TEXTS),
        note=message("remedy.raise-fraction.note", TEXTS),
        effect_bytes=finding.bytes,
        edited=edited(evidence, in_first_cell(evidence, unlimited()), by_itself=True),
    )
