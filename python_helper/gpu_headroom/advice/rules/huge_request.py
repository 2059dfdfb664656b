"""One request that no freeing can satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..rule import Rule

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message

_MOST_OF_THE_CARD = 0.5


def _check(evidence: Evidence) -> tuple[Message, Message] | None:
    requested, memory = evidence.requested_bytes, evidence.memory
    if requested is None or memory.capacity_bytes is None:
        return None
    claim = message(
        "cause.huge-request", requested_bytes=requested, capacity_bytes=memory.capacity_bytes
    )
    if requested > memory.capacity_bytes:
        if evidence.line is None:
            return claim, message("cause.huge-request.evidence_unplaced")
        return claim, message("cause.huge-request.evidence", line=evidence.line)
    in_use = memory.in_use_bytes
    large = requested > _MOST_OF_THE_CARD * memory.capacity_bytes
    if in_use is None or not large or requested <= in_use:
        return None
    return claim, message("cause.huge-request.evidence_fits_empty", in_use_bytes=in_use)


HUGE_REQUEST = Rule("huge-request", _check)
