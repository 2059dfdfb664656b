"""A smaller batch with the same effect: gradients of several are added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.accumulate import accumulated
from ...edits.flags import ACCUMULATION, LIBRARIES, trainer_flags
from ...edits.number import set_number
from ...edits.rewrite import all_of
from ...text.messages import message
from ..code_fix import CellChange
from ..editing import cells, edited
from ..remedy import Offer
from .smaller_batch import fitting

if TYPE_CHECKING:
    from ...edits.rewrite import Rewrite
    from ...oom.evidence import Evidence

TREATS: tuple[str, ...] = ("activations",)
TEXTS = {
    "remedy.accumulate": "Batches of {new}, and a step after every {steps} of them",
    "remedy.accumulate.note": (
        "The gradients are those of a batch of {old}, so the learning rate stays right. Batch "
        "normalisation sees smaller batches."
    ),
}


def offer(evidence: Evidence) -> Offer | None:
    """Offer it with a smaller batch, where the training step is found or a trainer does it."""
    batch, running = evidence.batch, evidence.scene.running
    value = None if batch is None or not running.trains else fitting(evidence)
    if batch is None or value is None:
        return None
    steps = batch.value // value
    number = set_number(batch, value)
    ways: list[Rewrite] = [accumulated(steps)]
    ways += [trainer_flags(each, **{ACCUMULATION[each]: str(steps)}) for each in LIBRARIES]
    for rewrite in ways:
        for cell in cells(evidence):
            if cell.key == batch.cell.key:
                changes = [CellChange(cell, batch.line, all_of(number, rewrite))]
            else:
                changes = [CellChange(batch.cell, batch.line, number), CellChange(cell, 1, rewrite)]
            change = edited(evidence, changes)
            if change.fix is not None:
                return Offer(
                    id="accumulate",
                    title=message("remedy.accumulate", TEXTS, new=value, steps=steps),
                    note=message("remedy.accumulate.note", TEXTS, old=batch.value),
                    effect_bytes=evidence.saved_bytes(evidence.batch_bytes, value / batch.value),
                    edited=change,
                    rank=2,
                )
    return None
