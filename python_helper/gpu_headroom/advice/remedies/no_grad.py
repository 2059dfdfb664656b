"""Evaluate without keeping activations: `no_grad` around the statement of the cell that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.no_grad import without_gradients
from ...edits.rewrite import Anchor
from ...oom.failing_line import CALLS_MODEL
from ...text.messages import message
from ..code_fix import UNCHANGED, CellChange, Edited
from ..editing import edited, torch_name
from ..remedy import Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("evaluation-with-gradients",)
TEXTS = {
    "remedy.no-grad": "Run it under `{torch}.no_grad()`",
    "remedy.no-grad.note": (
        "Activations are then not kept. Nothing can be trained through its results any more."
    ),
}
_WRAPPERS = frozenset({"decorate_context"})


def offer(evidence: Evidence, finding: Finding | None) -> Offer | None:
    """Offer it where what runs is an evaluation and activations fill the card."""
    if finding is None or finding.model is None or evidence.scene.inputs_require_grad:
        return None
    torch = torch_name(evidence)
    beside = evidence.scene.running.trains
    kept = evidence.pass_bytes if beside else evidence.kinds.get("activations", 0)
    # What the running operation reads stays, and is about as large as what it was to write.
    size = max(0, kept - (evidence.requested_bytes or 0))
    change = UNCHANGED if torch is None else _change(evidence, torch)
    return Offer(
        title=message("remedy.no-grad", TEXTS, torch=torch or "torch"),
        note=message("remedy.no-grad.note", TEXTS),
        effect_bytes=size,
        example=None if change.diffs else f"with {torch or 'torch'}.no_grad():\n    ...",
        edited=change,
    )


def _change(evidence: Evidence, torch: str) -> Edited:
    """Return the edit where nothing trains on the way, and no library stands in between."""
    scene = evidence.scene
    own = next(iter(scene.places), None)
    if own is None or own[0].key != evidence.failure.cell.key or _is_of_library(evidence):
        return UNCHANGED
    if scene.running.trains or scene.in_backward:
        return UNCHANGED
    cell, line = own
    rewrite = without_gradients(Anchor.of(cell.source, line), torch, evidence.live.foreign)
    change = edited(evidence, CellChange(cell, line, rewrite))
    return change if change.fix is not None else UNCHANGED


def _is_of_library(evidence: Evidence) -> bool:
    """Return whether a library's function called the model: what it does with it is its secret."""
    functions, own = list(evidence.scene.running.functions), evidence.scene.running.own
    first = functions.index(own[0]) if own else 0
    until = next((n for n, each in enumerate(functions) if each in CALLS_MODEL), 0)
    return not set(functions[first:until]) - _WRAPPERS <= set(own)
