"""The forward pass fills the card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import TRADED, Finding

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.activations": "**Activations: {activations_bytes} of the {in_use_bytes} in tensors.**",
    "cause.activations.evidence": (
        "They are what the forward pass keeps for the backward pass; "
        "they grow with the batch and with the length of the input."
    ),
    "cause.activations.evidence_batch": (
        "They are what the forward pass keeps for the backward pass; "
        "they grow with `{name}` ({value})."
    ),
}
_SHARE = 0.4


def check(evidence: Evidence) -> Finding | None:
    """Speak where activations are a good part of what is in use, and more than the model."""
    kept, in_use = evidence.kinds.get("activations", 0), evidence.memory.in_use_bytes
    if evidence.share(kept) < _SHARE or kept < evidence.model_bytes:
        return None
    claim = message("cause.activations", TEXTS, activations_bytes=kept, in_use_bytes=in_use)
    batch = evidence.batch
    said = message("cause.activations.evidence", TEXTS)
    if batch is not None:
        which = "cause.activations.evidence_batch"
        said = message(which, TEXTS, name=batch.name, value=batch.value)
    return Finding(claim, said, bytes=kept, price=TRADED)
