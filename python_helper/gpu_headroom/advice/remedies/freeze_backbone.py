"""What no optimizer trains needs no gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...code.parsing import parse_cell
from ...edits.model_memory import frozen
from ...edits.optimizer import owners
from ...text.messages import message
from ..editing import TEXTS as OF_EDITING
from ..editing import edited, in_first_cell, may_have_learnt
from ..remedy import Edited, Offer

if TYPE_CHECKING:
    from ...oom.evidence import Evidence
    from ..finding import Finding

TREATS: tuple[str, ...] = ("activations",)
TEXTS = {
    "remedy.freeze-backbone": "Freeze `{name}`, which no optimizer trains",
    "remedy.freeze-backbone.note": (
        "Nothing is then kept for its backward pass. The results stay the same."
    ),
}
_LEFT = 0.15  # of what its pass keeps, about


def offer(evidence: Evidence, _finding: Finding | None) -> Offer | None:
    """Offer it where a pass through a model fails that has come to no parameters of others."""
    size = evidence.pass_bytes
    trains = evidence.scene.running.trains and not evidence.scene.in_backward
    reached = {group.name for group in evidence.groups if group.progress}
    running = {module.key for module in evidence.scene.modules}
    models = [model.name for model in evidence.models if model.key in running]
    if not trains or len(models) != 1 or reached != set(models):
        return None
    name, trained = models[0], _trained(evidence)
    inside = sorted(each for each in trained or () if each.startswith(f"{name}."))
    if trained is None or name in trained or not evidence.peak.fits(size, _LEFT):
        return None
    changes = in_first_cell(evidence, frozen(name, *inside))
    change = edited(evidence, changes)
    if may_have_learnt(evidence, [each.cell for each in changes or ()]):
        why = change.reason or message("fix.forgets", OF_EDITING, model=name)
        change = Edited(change.diffs, reason=why)
    if not change.diffs:
        return None
    return Offer(
        title=message("remedy.freeze-backbone", TEXTS, name=name),
        note=message("remedy.freeze-backbone.note", TEXTS),
        effect_bytes=size,
        edited=change,
    )


def _trained(evidence: Evidence) -> set[str] | None:
    """Return what all optimizers of the notebook train, where that is certain."""
    found = set[str]()
    for cell in evidence.failure.cells:
        tree = parse_cell(cell.source)
        of_cell = owners(tree) if tree is not None else set()
        if of_cell is None:
            return None
        found |= of_cell
    return found or None
