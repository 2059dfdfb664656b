"""A model that fills the card by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import ANOTHER, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.model-too-large": (
        "**Model and optimizer: {model_bytes} of the {in_use_bytes} in tensors.**"
    ),
    "cause.model-too-large.evidence": (
        "Parameters {parameters_bytes}, gradients {gradients_bytes}, "
        "optimizer state {optimizer_bytes}. They do not shrink with the batch."
    ),
}
_SHARE = 0.6


def check(evidence: Evidence) -> Finding | None:
    """Speak where parameters, gradients and optimizer state are most of what is in use."""
    model = evidence.model_bytes + evidence.being_made_bytes
    in_use = evidence.memory.in_use_bytes
    if evidence.share(model) < _SHARE:
        return None
    return Finding(
        message("cause.model-too-large", TEXTS, model_bytes=model, in_use_bytes=in_use),
        message(
            "cause.model-too-large.evidence",
            TEXTS,
            parameters_bytes=evidence.kinds.get("parameters", 0) + evidence.being_made_bytes,
            gradients_bytes=evidence.kinds.get("gradients", 0),
            optimizer_bytes=evidence.kinds.get("optimizer_state", 0),
        ),
        bytes=model,
        price=ANOTHER,
    )
