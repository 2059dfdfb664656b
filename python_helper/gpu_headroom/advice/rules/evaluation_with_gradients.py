"""Activations kept for a backward pass that will not come."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...text.messages import message
from ..finding import A_LINE, Finding
from .retained_graph import largest_retained

if TYPE_CHECKING:
    from ...holders.modules import Model
    from ...oom.evidence import Evidence

TEXTS = {
    "cause.evaluation-with-gradients": (
        "**A graph kept in evaluation: {activations_bytes} of the {in_use_bytes} in tensors.**"
    ),
    "cause.evaluation-with-gradients.evidence": (
        "`{model}` is in evaluation mode, yet its activations are kept for a backward pass."
    ),
    "cause.evaluation-with-gradients.evidence_no_backward": (
        "Nothing here goes backward, yet the activations of `{model}` are kept for it."
    ),
}
_SHARE = 0.3
_MUCH = 0.2
_PHASE = re.compile(r"val|eval|test|pred|infer|embed|extract|generat|score|encode|sample|feature")


def check(evidence: Evidence) -> Finding | None:
    """Speak where nothing goes backward, and activations fill the card all the same."""
    model = evaluated_model(evidence)
    if model is None:
        return None
    kept, in_use = evidence.kinds.get("activations", 0), evidence.memory.in_use_bytes
    which = "cause.evaluation-with-gradients.evidence"
    if model.training:
        which = "cause.evaluation-with-gradients.evidence_no_backward"
    return Finding(
        message(
            "cause.evaluation-with-gradients", TEXTS, activations_bytes=kept, in_use_bytes=in_use
        ),
        message(which, TEXTS, model=model.name),
        bytes=kept,
        price=A_LINE,
        model=None if _piles_up(evidence) else model,
    )


def _piles_up(evidence: Evidence) -> bool:
    """Whether results themselves pile up, with graphs or without."""
    held = largest_retained(evidence)
    return held is not None and held.bytes - held.graph_bytes > _MUCH * held.bytes


def evaluated_model(evidence: Evidence) -> Model | None:
    """Return the model that is evaluated: in that mode, or by code that goes nowhere backward.

    A forward pass on its own may be one whose backward pass is in another cell: code of the second
    kind has to say that it evaluates, or to be a loop.
    """
    kept, running = evidence.kinds.get("activations", 0), evidence.scene.running
    beside = _evaluated_beside(evidence)
    if beside is not None:
        return beside
    if running.trains or evidence.scene.in_backward or evidence.share(kept) < _SHARE:
        return None
    evaluating = next((model for model in evidence.models if not model.training), None)
    training = next((model for model in evidence.models if model.training), None)
    if training is None or (evaluating is not None and not running.loops):
        return evaluating
    says_so = any(_PHASE.search(each.lower()) for each in running.own)
    return training if says_so or running.loops else None


def _evaluated_beside(evidence: Evidence) -> Model | None:
    """Return a model in evaluation mode whose forward pass failed while another one trains.

    Not one through which gradients go back to that, as through a network that judges its results.
    """
    modules = evidence.scene.modules
    running = {module.key for module in modules} - {
        module.key for module in modules if module.hands_back
    }
    trains = any(model.training for model in evidence.models)
    if not trains or evidence.share(evidence.pass_bytes) < _SHARE:
        return None
    return next(
        (model for model in evidence.models if model.key in running and not model.training), None
    )
