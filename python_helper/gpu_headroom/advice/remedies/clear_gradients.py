"""Gradients of the step before go before the next forward pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.clear_gradients import gradients_cleared
from ...text.messages import message
from ..editing import edited, in_first_cell
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("activations", "model-too-large")
TEXTS = {
    "remedy.clear-gradients": "Clear the gradients before the forward pass",
    "remedy.clear-gradients.note": (
        "Else those of the step before stand beside it. Training stays the same."
    ),
    "remedy.clear-gradients.advice": (
        "Else those of the step before stand beside it. Check that nothing reads them there."
    ),
}


def offer(evidence: Evidence, _finding: Finding | None) -> Offer | None:
    """Offer it where a forward pass of a training step fails beside gradients."""
    size = evidence.kinds.get("gradients", 0)
    forward = not (evidence.scene.in_backward or evidence.in_step)
    if not (size and forward and evidence.scene.running.trains and evidence.peak.is_enough(size)):
        return None
    change = edited(evidence, in_first_cell(evidence, gradients_cleared()))
    if not change.diffs:
        return None
    said = "remedy.clear-gradients.advice" if change.fix is None else "remedy.clear-gradients.note"
    return Offer(
        title=message("remedy.clear-gradients", TEXTS),
        note=message(said, TEXTS),
        effect_bytes=size,
        edited=change,
    )
