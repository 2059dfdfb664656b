"""Evaluate without keeping activations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.no_grad import without_gradients
from ...text.messages import message
from ..editing import at_places, edited, torch_name
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("evaluation-with-gradients",)
TEXTS = {
    "remedy.no-grad": "Run the evaluation under `torch.no_grad()`",
    "remedy.no-grad.note": "Activations are then not kept. Gradients cannot be had from it.",
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where what runs is an evaluation and activations fill the card."""
    if finding is None or finding.model is None:
        return None
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
        title=message("remedy.no-grad", TEXTS),
        note=message("remedy.no-grad.note", TEXTS),
        effect_bytes=size,
        edited=edited(evidence, changes),
    )
