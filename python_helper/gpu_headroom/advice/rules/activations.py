"""The forward pass fills the card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..rule import Rule

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message

_SHARE = 0.4


def _check(evidence: Evidence) -> tuple[Message, Message] | None:
    kept, in_use = evidence.kinds.get("activations", 0), evidence.memory.in_use_bytes
    if in_use is None or evidence.share(kept) < _SHARE or kept < evidence.model_bytes:
        return None
    claim = message("cause.activations", activations_bytes=kept, in_use_bytes=in_use)
    batch = evidence.batch
    if batch is None:
        return claim, message("cause.activations.evidence")
    return claim, message("cause.activations.evidence_batch", name=batch.name, value=batch.value)


ACTIVATIONS = Rule("activations", _check)
