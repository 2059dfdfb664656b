"""A model that is evaluated in training mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import A_LINE, TRADED, Finding
from .evaluation_with_gradients import evaluated_model

if TYPE_CHECKING:
    from ...holders.modules import Model
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.evaluation-in-training-mode": (
        "**`{model}` is in training mode**, and this code only evaluates it."
    ),
    "cause.evaluation-in-training-mode.evidence": (
        "Dropout keeps masks and changes the results, batch normalisation learns from what it is "
        "shown. `{model}.eval()` ends both."
    ),
}


def check(evidence: Evidence) -> Finding | None:
    """Speak where a model is evaluated that nobody has put into evaluation mode."""
    model = evaluated_in_training(evidence)
    if model is None:
        return None
    asks = evidence.scene.running.asks_mode
    return Finding(
        message("cause.evaluation-in-training-mode", TEXTS, model=model.name),
        message("cause.evaluation-in-training-mode.evidence", TEXTS, model=model.name),
        bytes=evidence.pass_bytes or evidence.traceback_bytes if asks else None,
        price=A_LINE if asks else TRADED,
        model=model,
    )


def evaluated_in_training(evidence: Evidence) -> Model | None:
    """Return the model that is evaluated, where it is in training mode."""
    model = evaluated_model(evidence) or _asked_for_its_mode(evidence)
    return model if model is not None and model.training else None


def _asked_for_its_mode(evidence: Evidence) -> Model | None:
    """Return a model in training mode whose own code does otherwise in evaluation."""
    running = evidence.scene.running
    if running.trains or evidence.scene.in_backward or not running.asks_mode:
        return None
    keys = {module.key for module in evidence.scene.modules}
    return next((model for model in evidence.models if model.key in keys), None)
