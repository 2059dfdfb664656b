"""Evaluate in evaluation mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.eval_mode import KEPT, evaluating
from ...text.messages import message
from ..editing import at_places, edited
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("evaluation-in-training-mode",)
TEXTS = {
    "remedy.eval-mode": "`{model}.eval()` before the evaluation",
    "remedy.eval-mode.note": (
        "`{model}` gets back the mode that it had, however the evaluation ends. Dropout draws no "
        "random numbers there, and batch normalisation learns nothing of it."
    ),
}


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where a model is evaluated in training mode."""
    model = None if finding is None else finding.model
    if model is None or not evidence.scene.running.asks_mode:
        return None
    kept = evidence.gate.free_name(*KEPT)
    changes = at_places(evidence, lambda anchor: evaluating(anchor, model.name, kept))
    return Offer(
        title=message("remedy.eval-mode", TEXTS, model=model.name),
        note=message("remedy.eval-mode.note", TEXTS, model=model.name),
        effect_bytes=None,
        edited=edited(evidence, changes),
    )
