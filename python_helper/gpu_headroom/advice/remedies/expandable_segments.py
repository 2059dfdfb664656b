"""Segments that can grow leave fewer gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("fragmentation",)
TEXTS = {
    "remedy.expandable-segments": "Let the allocator grow its segments",
    "remedy.expandable-segments.note": (
        "Set it before the first GPU tensor: the kernel must be restarted."
    ),
}
# The older name is read by every PyTorch; 2.9.1 ignores the newer one for this setting.
_SETTING = 'import os; os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"'


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it only where the request would have fitted in one piece: elsewhere it cannot help.

    Nor does it where the segments grow already.
    """
    capture = evidence.failure.capture
    if finding is None or (capture is not None and capture.segments_expand):
        return None
    return Offer(
        title=message("remedy.expandable-segments", TEXTS),
        note=message("remedy.expandable-segments.note", TEXTS),
        effect_bytes=evidence.memory.cached_bytes,
        type_this=_SETTING,
    )
