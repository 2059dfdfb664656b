"""Activations kept for a backward pass that will not come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ...protocol.wire import Message

TEXTS = {
    "cause.evaluation-with-gradients": (
        "**A graph kept in evaluation: {activations_bytes} of the {in_use_bytes} in tensors.**"
    ),
    "cause.evaluation-with-gradients.evidence": (
        "`{model}` is in evaluation mode, yet its activations are kept for a backward pass."
    ),
}
_SHARE = 0.4


def check(evidence: Evidence) -> tuple[Message, Message] | None:
    """Speak where every model evaluates, and activations fill the card all the same."""
    model = evaluated_model(evidence)
    if model is None:
        return None
    kept, in_use = evidence.kinds.get("activations", 0), evidence.memory.in_use_bytes
    return (
        message(
            "cause.evaluation-with-gradients", TEXTS, activations_bytes=kept, in_use_bytes=in_use
        ),
        message("cause.evaluation-with-gradients.evidence", TEXTS, model=model),
    )


def evaluated_model(evidence: Evidence) -> str | None:
    """Return the model in evaluation mode, where every model is and activations fill the card."""
    kept = evidence.kinds.get("activations", 0)
    trains = evidence.in_backward or ".backward(" in evidence.failure.cell.source
    if trains or evidence.share(kept) < _SHARE or any(each.training for each in evidence.models):
        return None
    return evidence.models[0].name if evidence.models else None
