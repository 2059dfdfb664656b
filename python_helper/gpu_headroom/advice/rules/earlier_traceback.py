"""An error of an earlier cell whose variables were still alive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..rule import Rule

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message


def _check(evidence: Evidence) -> tuple[Message, Message] | None:
    held, requested = evidence.earlier_traceback_bytes, evidence.requested_bytes
    headroom, in_use = evidence.memory.headroom_bytes, evidence.memory.in_use_bytes
    if not held or requested is None or headroom is None or in_use is None:
        return None
    if requested <= headroom or requested > headroom + held:
        return None
    return (
        message("cause.earlier-traceback", held_bytes=held, in_use_bytes=in_use),
        message("cause.earlier-traceback.evidence", requested_bytes=requested),
    )


EARLIER_TRACEBACK = Rule("earlier-traceback", _check)
