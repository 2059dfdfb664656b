"""One request that no freeing can satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message

TEXTS = {
    "cause.huge-request": "**One request of {requested_bytes}** on a card of {capacity_bytes}.",
    "cause.huge-request.evidence": (
        "It is larger than the whole card: freeing memory cannot help. "
        "Look at the shapes on line {line}."
    ),
    "cause.huge-request.evidence_unplaced": (
        "It is larger than the whole card: freeing memory cannot help. "
        "Look at the shapes of what the failing line makes."
    ),
    "cause.huge-request.evidence_fits_empty": (
        "It is larger than everything in use together ({in_use_bytes}). "
        "A single tensor fills most of the card: look at its shape."
    ),
}
_MOST_OF_THE_CARD = 0.5


def check(evidence: Evidence) -> tuple[Message, Message] | None:
    """Speak of a request larger than the card, or than all in use and most of the card."""
    requested, memory = evidence.requested_bytes, evidence.memory
    if requested is None or memory.capacity_bytes is None:
        return None
    claim = message(
        "cause.huge-request", TEXTS, requested_bytes=requested, capacity_bytes=memory.capacity_bytes
    )
    if requested > memory.capacity_bytes:
        if evidence.line is None:
            return claim, message("cause.huge-request.evidence_unplaced", TEXTS)
        return claim, message("cause.huge-request.evidence", TEXTS, line=evidence.line)
    in_use = memory.in_use_bytes
    large = requested > _MOST_OF_THE_CARD * memory.capacity_bytes
    if in_use is None or not large or requested <= in_use:
        return None
    return claim, message("cause.huge-request.evidence_fits_empty", TEXTS, in_use_bytes=in_use)
