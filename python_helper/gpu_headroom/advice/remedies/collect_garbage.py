"""Ask Python to collect what refers to itself before more is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.garbage import collected
from ...text.messages import message
from ..editing import at_places, edited
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("reference-cycles",)
TEXTS = {
    "remedy.collect-garbage": "`gc.collect()` before the next is made",
    "remedy.collect-garbage.note": (
        "It lets go of objects that refer to each other, which Python does only now and then. "
        "What a library keeps stays."
    ),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where what no name reaches holds as much as is missing."""
    size = None if finding is None else finding.bytes
    if not size or not evidence.peak.is_enough(size):
        return None
    changes = at_places(evidence, collected)
    return Offer(
        title=message("remedy.collect-garbage", TEXTS),
        note=message("remedy.collect-garbage.note", TEXTS),
        effect_bytes=size,
        edited=edited(evidence, changes),
    )
