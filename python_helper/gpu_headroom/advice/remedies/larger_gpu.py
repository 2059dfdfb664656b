"""Another card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.format import GIB
from ...text.messages import message
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("model-too-large", "activations", "huge-request")
TEXTS = {
    "remedy.larger-gpu": "A GPU with {gigabytes} GB or more",
    "remedy.larger-gpu.note": "The cell needs about {needed_bytes} at its peak.",
    "remedy.larger-gpu.note_unknown": (
        "{needed_bytes} were in use or asked for when it failed; how much the whole cell needs is "
        "not known."
    ),
}
_SIZES = (16, 24, 32, 40, 48, 80, 96, 141, 192)  # of common cards, as they are sold
_USABLE = 0.93  # of that, in GiB: a T4 of 16 GB has 14.7 to 15.0
_SPARE = 0.15  # the peak is told to within about that


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer the smallest common size that holds the peak of the cell, or what it had come to."""
    memory, requested = evidence.memory, evidence.requested_bytes
    if finding is None or memory.in_use_bytes is None or requested is None:
        return None
    peak = evidence.peak.cell_bytes
    needed = (peak or memory.in_use_bytes + requested) + (memory.outside_bytes or 0)
    note = "remedy.larger-gpu.note_unknown" if peak is None else "remedy.larger-gpu.note"
    spare = 0 if peak is None else needed * _SPARE
    size = next((each for each in _SIZES if each * _USABLE * GIB >= needed + spare), None)
    if size is None or needed <= (memory.capacity_bytes or needed):
        return None
    return Offer(
        title=message("remedy.larger-gpu", TEXTS, gigabytes=size),
        note=message(note, TEXTS, needed_bytes=needed),
        effect_bytes=None,
        rank=3,
    )
