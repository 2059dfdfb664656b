"""A model that fills the card by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..rule import Rule

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message

_SHARE = 0.6


def _check(evidence: Evidence) -> tuple[Message, Message] | None:
    in_use = evidence.memory.in_use_bytes
    if in_use is None or evidence.share(evidence.model_bytes) < _SHARE:
        return None
    return (
        message("cause.model-too-large", model_bytes=evidence.model_bytes, in_use_bytes=in_use),
        message(
            "cause.model-too-large.evidence",
            parameters_bytes=evidence.kinds.get("parameters", 0),
            gradients_bytes=evidence.kinds.get("gradients", 0),
            optimizer_bytes=evidence.kinds.get("optimizer_state", 0),
        ),
    )


MODEL_TOO_LARGE = Rule("model-too-large", _check)
