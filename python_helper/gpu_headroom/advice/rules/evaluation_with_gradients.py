"""Activations kept for a backward pass that will not come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..rule import Rule

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message

_SHARE = 0.4


def _check(evidence: Evidence) -> tuple[Message, Message] | None:
    model, in_use = evaluated_model(evidence), evidence.memory.in_use_bytes
    if model is None or in_use is None:
        return None
    kept = evidence.kinds.get("activations", 0)
    return (
        message("cause.evaluation-with-gradients", activations_bytes=kept, in_use_bytes=in_use),
        message("cause.evaluation-with-gradients.evidence", model=model),
    )


def evaluated_model(evidence: Evidence) -> str | None:
    """Return the model in evaluation mode, where every model is and activations fill the card."""
    kept = evidence.kinds.get("activations", 0)
    trains = evidence.in_backward or ".backward(" in evidence.failure.cell.source
    if trains or evidence.share(kept) < _SHARE or any(each.training for each in evidence.models):
        return None
    return evidence.models[0].name if evidence.models else None


EVALUATION_WITH_GRADIENTS = Rule("evaluation-with-gradients", _check)
