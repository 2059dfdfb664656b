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
    "cause.activations.layer": (
        "**What one layer is given and makes: {layer_bytes}** on a card of {capacity_bytes}."
    ),
    "cause.activations.evidence_begun": (
        "The forward pass has only begun, and keeps more for the backward pass with each layer; "
        "that grows with the batch and with the size of the input."
    ),
    "cause.activations.evidence_begun_batch": (
        "The forward pass has only begun, and keeps more for the backward pass with each layer; "
        "that grows with `{name}` ({value})."
    ),
    "cause.activations.evidence_layer": (
        "Without gradients no more is kept, but both are there at once; "
        "they grow with the batch and with the size of the input."
    ),
    "cause.activations.evidence_layer_batch": (
        "Without gradients no more is kept, but both are there at once; "
        "they grow with `{name}` ({value})."
    ),
}
# What is said where a number of the batch is known.
_BATCH = {
    "cause.activations.evidence": "cause.activations.evidence_batch",
    "cause.activations.evidence_begun": "cause.activations.evidence_begun_batch",
    "cause.activations.evidence_layer": "cause.activations.evidence_layer_batch",
}
_SHARE = 0.4


def check(evidence: Evidence) -> Finding | None:
    """Speak where activations are a good part of what is in use, and more than the model."""
    kept, memory = evidence.kinds.get("activations", 0), evidence.memory
    claim = message(
        "cause.activations", TEXTS, activations_bytes=kept, in_use_bytes=memory.in_use_bytes
    )
    which = "cause.activations.evidence"
    if not _fill(evidence, kept):
        kept, asked = kept + _given(evidence), evidence.requested_bytes or 0
        if not _fill(evidence, kept):
            return None
        claim = message(
            "cause.activations.layer",
            TEXTS,
            layer_bytes=kept + asked,
            capacity_bytes=memory.capacity_bytes,
        )
        which = "cause.activations.evidence_layer"
        if evidence.scene.running.trains:
            which = "cause.activations.evidence_begun"
    batch = evidence.batch
    said = message(which, TEXTS)
    if batch is not None:
        said = message(_BATCH[which], TEXTS, name=batch.name, value=batch.value)
    return Finding(claim, said, bytes=kept, price=TRADED)


def _fill(evidence: Evidence, size: int) -> bool:
    return evidence.share(size) >= _SHARE and size >= evidence.model_bytes


def _given(evidence: Evidence) -> int:
    """Return what a pass that goes forward has as plain values: its batch, a layer's input."""
    scene = evidence.scene
    if scene.in_backward or not scene.modules or evidence.being_made_bytes:
        return 0
    temporary = 0 if evidence.collected_bytes else evidence.temporary_bytes
    return temporary + sum(
        group.bytes
        for group in evidence.groups
        if evidence.is_batch(group)
        or (
            group.kind == "tensor"
            and not group.keys & scene.running.growing
            and (group.origin == "traceback" or group.keys & scene.running.bound)
        )
    )
