"""Evaluate without keeping activations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..remedy import Offer
from ..rules.evaluation_with_gradients import evaluated_model

if TYPE_CHECKING:
    from ...oom.evidence import Evidence

TEXTS = {
    "remedy.no-grad": "Run the evaluation under `torch.no_grad()`",
    "remedy.no-grad.note": "Activations are then not kept. Gradients cannot be had from it.",
}


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where every model is in evaluation mode and activations fill the card."""
    if evaluated_model(evidence) is None:
        return None
    return Offer(
        id="no-grad",
        title=message("remedy.no-grad", TEXTS),
        note=message("remedy.no-grad.note", TEXTS),
        effect_bytes=evidence.kinds.get("activations", 0),
    )
