"""A card that others use, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.format import GIB
from ...text.messages import message
from ..rule import Rule

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message

# Driver context and libraries of this very process stand in `outside`, too.
OWN_CONTEXT_BYTES = GIB
_MUCH_OF_THE_CARD = 0.2


def _check(evidence: Evidence) -> tuple[Message, Message] | None:
    if not others_are_in_the_way(evidence):
        return None
    memory = evidence.memory
    return (
        message(
            "cause.other-programs",
            outside_bytes=memory.outside_bytes,
            capacity_bytes=memory.capacity_bytes,
        ),
        message(
            "cause.other-programs.evidence",
            in_use_bytes=memory.in_use_bytes,
            requested_bytes=evidence.requested_bytes,
        ),
    )


def others_are_in_the_way(evidence: Evidence) -> bool:
    """Whether the request would have fitted without the memory of other programs."""
    requested, memory = evidence.requested_bytes, evidence.memory
    outside, capacity, headroom = memory.outside_bytes, memory.capacity_bytes, memory.headroom_bytes
    if requested is None or outside is None or capacity is None or headroom is None:
        return False
    others = outside - OWN_CONTEXT_BYTES
    return outside >= _MUCH_OF_THE_CARD * capacity and headroom + others >= requested


OTHER_PROGRAMS = Rule("other-programs", _check)
