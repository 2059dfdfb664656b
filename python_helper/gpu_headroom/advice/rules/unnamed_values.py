"""One expression that had not come to its end held most of what was in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..rule import Rule

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message

_SHARE = 0.5


def _check(evidence: Evidence) -> tuple[Message, Message] | None:
    requested, headroom = evidence.requested_bytes, evidence.memory.headroom_bytes
    in_use = evidence.memory.in_use_bytes
    if evidence.let_go_bytes is None or requested is None or headroom is None or in_use is None:
        return None
    values = evidence.let_go_bytes - (evidence.earlier_traceback_bytes or 0)
    # What a backward pass lets go of when it fails was never a value of the program's.
    if evidence.in_backward or evidence.share(values) < _SHARE or requested > headroom + values:
        return None
    return (
        message("cause.unnamed-values", values_bytes=values, in_use_bytes=in_use),
        message("cause.unnamed-values.evidence"),
    )


UNNAMED_VALUES = Rule("unnamed-values", _check)
