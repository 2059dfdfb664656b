"""Halve the batch until the estimate fits: an edit of one literal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...cells.batch import cells_to_run, defines_any
from ...cells.largest_batch import predict, probes
from ...cells.literals import literals_in, replaced
from ...text.messages import message
from ..remedy import FixOutcome, Offer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...cells.largest_batch import Prediction
    from ...cells.literals import BatchLiteral
    from ...oom.evidence import Evidence
    from ...protocol.wire import Diff, Message

TEXTS = {
    "remedy.smaller-batch": "`{name} = {old}` → `{new}` (line {line})",
    "remedy.smaller-batch.elsewhere": (
        "`{name} = {old}` → `{new}` (line {line} of In [{execution_count}])"
    ),
    "remedy.smaller-batch.note": (
        "Activations scale with the batch. Training changes slightly: check the learning rate."
    ),
    "remedy.smaller-batch.note_unsure": (
        "Activations scale with the batch, but even so it may not fit. "
        "Training changes slightly: check the learning rate."
    ),
    "remedy.smaller-batch.note_predicted": (
        "Measured runs of this cell say that the largest `{name}` lies between {low} and {high}. "
        "Training changes slightly: check the learning rate."
    ),
    "fix.ok": "`{name} = {old}` becomes `{new}`.",
    "fix.changed": "The cell was edited after it failed; line {line} no longer matches.",
    "fix.missing": "The cell with line {line} is no longer in the notebook.",
}
# A failed forward pass had not come to its peak: as much again may follow.
_FORWARD_ROOM = 0.5
_BACKWARD_ROOM = 0.85
_SMALLEST_RATIO = 1 / 1024
_UNSURE_RATIO = 1 / 8


def offer(evidence: Evidence) -> Offer | None:
    """Offer it where a literal is proven to scale the memory, and less of it would fit."""
    batch, failure = evidence.batch, evidence.failure
    if batch is None:
        return None
    predicted = _predicted(evidence, batch)
    value = _fitting(evidence, batch, predicted)
    changed = None if value is None else replaced(batch.cell.source, batch, value)
    if value is None or changed is None:
        return None
    path = cells_to_run(batch, failure.cell, failure.cells) or (failure.cell,)
    run = tuple([each.cell_id for each in path if each.cell_id is not None])
    # A cell in between that makes a model anew would lose what it has learnt.
    models = [each.name for each in evidence.models]
    makes_models = any(defines_any(each, models) for each in path[1:-1])
    editable = len(run) == len(path) and not makes_models
    ratio = value / batch.value
    return Offer(
        id="smaller-batch",
        kind="edit" if editable else "advice",
        title=_title(batch, value, elsewhere=path[0] is not path[-1]),
        note=_note(evidence, batch, ratio, predicted),
        effect_bytes=int(evidence.batch_bytes * (1 - ratio)),
        diffs=(_diff(batch, value, changed),),
        fix=SmallerBatch(batch, value, run) if editable else None,
    )


@dataclass(frozen=True, slots=True)
class SmallerBatch:
    """Sets a batch literal to `value`; `run` are the cells to run after that, in order."""

    literal: BatchLiteral
    value: int
    run: tuple[str, ...]

    def edits(self, sources: Mapping[str, str]) -> FixOutcome:
        """Find the literal in the cell as it is now; refuse where it is not there any more."""
        cell_id, line = self.literal.cell.cell_id, self.literal.line
        if cell_id is None or cell_id not in sources:
            return FixOutcome("changed", (), (), message("fix.missing", TEXTS, line=line))
        found = self._found(sources[cell_id])
        changed = None if found is None else replaced(sources[cell_id], found, self.value)
        if found is None or changed is None:
            return FixOutcome("changed", (), (), message("fix.changed", TEXTS, line=line))
        return FixOutcome(
            status="ok",
            edits=(
                {
                    "cell_id": cell_id,
                    "first_line": found.line,
                    "old_lines": [changed[0]],
                    "new_lines": [changed[1]],
                },
            ),
            run=self.run,
            message=message("fix.ok", TEXTS, name=found.name, old=found.value, new=self.value),
        )

    def _found(self, source: str) -> BatchLiteral | None:
        """The same name and value where it stood; elsewhere only if there is no other like it."""
        wanted = self.literal
        alike = [
            each
            for each in literals_in(wanted.cell, source)
            if (each.name, each.value) == (wanted.name, wanted.value)
        ]
        at_place = [each for each in alike if each.line == wanted.line]
        if len(at_place) > 1:
            return next((each for each in at_place if each.column == wanted.column), None)
        found = at_place or alike
        return found[0] if len(found) == 1 else None


def _predicted(evidence: Evidence, batch: BatchLiteral) -> Prediction | None:
    """Return what earlier runs of the failed cell say, if they do."""
    failure, index, memory = evidence.failure, evidence.device_index, evidence.memory
    run = failure.cell.on(index)
    if run is None or run["change_bytes"] is None or failure.device is None:
        return None
    if memory.in_use_bytes is None or memory.headroom_bytes is None:
        return None
    start = failure.device.in_use_bytes - run["change_bytes"]
    known = probes(batch, failure.cell, failure.runs, index)
    headroom = memory.in_use_bytes + memory.headroom_bytes - start
    found = predict(batch.name, known, start, headroom)
    return found if found.low is not None else None


def _note(
    evidence: Evidence, batch: BatchLiteral, ratio: float, predicted: Prediction | None
) -> Message:
    if predicted is not None:
        return message(
            "remedy.smaller-batch.note_predicted",
            TEXTS,
            name=batch.name,
            low=predicted.low,
            high=predicted.high,
        )
    if evidence.requested_bytes is None or ratio < _UNSURE_RATIO:
        return message("remedy.smaller-batch.note_unsure", TEXTS)
    return message("remedy.smaller-batch.note", TEXTS)


def _fitting(evidence: Evidence, batch: BatchLiteral, predicted: Prediction | None) -> int | None:
    """Return the largest of value/2, value/4 … that fits; `None` if none would.

    Measured runs decide where they can, else the estimate.
    """
    halves = [batch.value >> times for times in range(1, batch.value.bit_length())]
    if predicted is not None and predicted.low is not None:
        return next((each for each in halves if each <= predicted.low), None)
    memory, kinds = evidence.memory, evidence.kinds
    if memory.in_use_bytes is None or memory.headroom_bytes is None:
        return None
    # Gradients that the coming backward pass makes, where there are none yet.
    to_come = max(0, kinds.get("parameters", 0) - kinds.get("gradients", 0))
    share = _BACKWARD_ROOM if evidence.scene.in_backward else _FORWARD_ROOM
    room = (memory.headroom_bytes + evidence.batch_bytes - to_come) * share
    scaling = evidence.batch_bytes + (evidence.requested_bytes or 0)
    fitting = next((each for each in halves if scaling * each / batch.value <= room), 0)
    return fitting if fitting >= max(1, batch.value * _SMALLEST_RATIO) else None


def _title(batch: BatchLiteral, value: int, *, elsewhere: bool) -> Message:
    place: dict[str, str | int] = {
        "name": batch.name,
        "old": batch.value,
        "new": value,
        "line": batch.line,
    }
    if not elsewhere:
        return message("remedy.smaller-batch", TEXTS, **place)
    count = batch.cell.execution_count
    return message("remedy.smaller-batch.elsewhere", TEXTS, **place, execution_count=count)


def _diff(batch: BatchLiteral, value: int, changed: tuple[str, str]) -> Diff:
    return {
        "cell_id": batch.cell.cell_id,
        "execution_count": batch.cell.execution_count,
        "rows": [
            {"sign": "-", "line": batch.line, "text": changed[0]},
            {"sign": "+", "line": batch.line, "text": changed[1]},
        ],
        "sets": f"{batch.name} = {value}",
    }
