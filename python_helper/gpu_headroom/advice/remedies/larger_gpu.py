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
    "remedy.larger-gpu.note": (
        "At least {needed_bytes} were needed in all; what follows may need more."
    ),
}
_SIZES = (16, 24, 32, 40, 48, 80, 96, 141, 192)  # of common cards, as they are sold
_USABLE = 0.93  # of that, in GiB: a T4 of 16 GB has 14.7 to 15.0


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer the smallest common size that holds what was needed when it failed."""
    memory, requested = evidence.memory, evidence.requested_bytes
    if finding is None:
        return None
    if memory.in_use_bytes is None or requested is None:
        return None
    needed = memory.in_use_bytes + requested + (memory.outside_bytes or 0)
    if evidence.scene.running.trains:
        needed = evidence.step_bytes + (memory.outside_bytes or 0)
    size = next((each for each in _SIZES if each * _USABLE * GIB >= needed), None)
    if size is None or needed <= (memory.capacity_bytes or needed):
        return None
    return Offer(
        id="larger-gpu",
        title=message("remedy.larger-gpu", TEXTS, gigabytes=size),
        note=message("remedy.larger-gpu.note", TEXTS, needed_bytes=needed),
        effect_bytes=None,
        rank=3,
    )
