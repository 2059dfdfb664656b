"""A smaller batch with the same effect: gradients of several are added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.accumulate import accumulated
from ...edits.accumulation import Same, of_a_trainer
from ...edits.flags import ACCUMULATION, LIBRARIES, trainer_flags
from ...edits.number import set_batch
from ...edits.rewrite import all_of
from ...text.messages import message
from ..code_fix import CellChange
from ..editing import cells, edited
from ..remedy import Offer
from .smaller_batch import fitting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...cells.runs import CellRun
    from ...code.gate import Gate
    from ...code.literals import SizeLiteral
    from ...code.loaders import Way
    from ...edits.rewrite import Rewrite
    from ...oom.evidence import Evidence
    from ..finding import Finding
    from ..remedy import Edited

    Change = tuple[CellRun, int, Rewrite]

TREATS: tuple[str, ...] = ("activations",)
TEXTS = {
    "remedy.accumulate": "Batches of {new}, and a step after every {steps} of them",
    "remedy.accumulate.note": (
        "The gradients of {steps} batches add up to those of a batch of {old}: the weights are the "
        "same after each step, but for rounding."
    ),
    "remedy.accumulate.advice": (
        "Gradients of {steps} batches add up to those of a batch of {old} where the loss is a mean "
        "over samples. Check what counts batches: schedules, logs, the last batch."
    ),
}
COUNTERS = ("step", "batch_index", "part_of_batch")
"""Names that count batches, the first of them that is free."""


def offer(evidence: Evidence, _finding: Finding | None) -> Offer | None:
    """Offer it with a smaller batch, where the training step is found or a trainer does it."""
    batch, running = evidence.batch, evidence.scene.running
    value = None if batch is None or not running.trains else fitting(evidence)
    if batch is None or value is None or batch.cell.path is not None:
        return None
    steps = batch.value // value
    shown: Edited | None = None
    for part in parts_of_a_batch(batch, value, cells(evidence), evidence.gate, evidence.way):
        change = edited(evidence, [CellChange(*one) for one in part])
        if change.fix is not None or (shown is None and change.diffs):
            shown = change
        if change.fix is not None:
            break
    if shown is None:
        return None
    note = "remedy.accumulate.advice" if shown.fix is None else "remedy.accumulate.note"
    return Offer(
        title=message("remedy.accumulate", TEXTS, new=value, steps=steps),
        note=message(note, TEXTS, steps=steps, old=batch.value),
        effect_bytes=evidence.peak.saved_bytes(evidence.batch_bytes, value / batch.value),
        edited=shown,
        rank=2,
    )


def parts_of_a_batch(
    batch: SizeLiteral, value: int, cells: Iterable[CellRun], gate: Gate, way: Way
) -> Iterator[list[Change]]:
    """Yield the changes that may make parts of this size: of a loop, or of a trainer's options.

    The number has to be that of the loop that failed, which is come to by a `way`.
    """
    steps = batch.value // value
    counter = gate.free_name(*COUNTERS)
    same = Same(batch, value, counter)
    ways = [accumulated(steps, counter).asking(same)]
    ways += [
        trainer_flags(library, **{ACCUMULATION[library]: str(steps)}).asking(of_a_trainer)
        for library in LIBRARIES
    ]
    number = set_batch(batch, value, way)
    all_cells = list(cells)
    for rewrite in ways:
        for cell in all_cells:
            if cell.key == batch.cell.key:
                yield [(cell, batch.line, all_of(number, rewrite))]
            else:
                yield [(batch.cell, batch.line, number), (cell, 1, rewrite)]
