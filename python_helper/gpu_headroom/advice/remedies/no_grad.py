"""Evaluate without keeping activations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.no_grad import without_gradients
from ...text.messages import message
from ..editing import at_places, edited, torch_name
from ..remedy import Offer
from ..rules.evaluation_with_gradients import evaluated_model
from ..rules.retained_graph import largest_retained

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TREATS: tuple[str, ...] = ("evaluation-with-gradients",)
TEXTS = {
    "remedy.no-grad": "Run the evaluation under `torch.no_grad()`",
    "remedy.no-grad.note": "Activations are then not kept. Gradients cannot be had from it.",
}

_MUCH = 0.2


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where what runs is an evaluation and activations fill the card."""
    model = evaluated_model(evidence)
    if model is None:
        return None
    held = largest_retained(evidence)
    if held is not None and held.bytes - held.graph_bytes > _MUCH * held.bytes:
        return None  # the values themselves pile up, with graphs or without
    torch = torch_name(evidence)
    beside = evidence.scene.running.trains
    changes = None
    if torch is not None:
        changes = at_places(
            evidence, lambda anchor: without_gradients(anchor, torch, constant=beside)
        )
    kept = evidence.pass_bytes if beside else evidence.kinds.get("activations", 0)
    # What the running operation reads stays, and is about as large as what it was to write.
    size = max(0, kept - (evidence.requested_bytes or 0))
    return Offer(
        id="no-grad",
        title=message("remedy.no-grad", TEXTS),
        note=message("remedy.no-grad.note", TEXTS),
        effect_bytes=size,
        edited=edited(evidence, changes),
    )
