"""One expression that had not come to its end held most of what was in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import TRADED, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.unnamed-values": (
        "**Values without a name: {values_bytes} of the {in_use_bytes} in tensors.**"
    ),
    "cause.unnamed-values.evidence": (
        "The failing line was still making them: a comprehension or a long expression keeps all "
        "its values until it is done. They went with the error, so none of them is left to free."
    ),
}
_SHARE = 0.5


def check(evidence: Evidence) -> Finding | None:
    """Speak where the request would have fitted without what the failing line was making."""
    requested, memory = evidence.requested_bytes, evidence.memory
    if requested is None or memory.headroom_bytes is None:
        return None
    values = evidence.temporary_bytes
    # What a backward pass lets go of when it fails was never a value of the program's.
    if evidence.scene.in_backward or evidence.share(values) < _SHARE:
        return None
    if evidence.scene.modules:
        return None  # the parts of a model that was being made, or what a layer was making
    if requested > memory.headroom_bytes + values:
        return None
    return Finding(
        message(
            "cause.unnamed-values", TEXTS, values_bytes=values, in_use_bytes=memory.in_use_bytes
        ),
        message("cause.unnamed-values.evidence", TEXTS),
        bytes=values,
        price=TRADED,
    )
