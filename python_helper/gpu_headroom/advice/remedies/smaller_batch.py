"""Halve the batch until the estimate fits: an edit of one literal."""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from ...cells.values import value_at
from ...edits.number import by_flag, flag_of, in_script, of_command, smaller_batch
from ...edits.rewrite import Anchor
from ...oom.largest_batch import predict, probes
from ...text.messages import message
from ..code_fix import CellChange
from ..editing import edited
from ..remedy import Offer

if TYPE_CHECKING:
    from ...code.literals import SizeLiteral
    from ...oom.evidence import Evidence
    from ...oom.largest_batch import Prediction
    from ...protocol.wire import Message
    from ..finding import Finding

TREATS: tuple[str, ...] = ("activations", "huge-request", "elsewhere")
TEXTS = {
    "remedy.smaller-batch": "`{name} = {old}` → `{new}` (line {line})",
    "remedy.smaller-batch.elsewhere": (
        "`{name} = {old}` → `{new}` (line {line} of In [{execution_count}])"
    ),
    "remedy.smaller-batch.flag": (
        "`{flag} {new}` in line {line} (the default is {old}: {file}, line {at})"
    ),
    "remedy.smaller-batch.file": "`{name} = {old}` → `{new}` ({file}, line {line})",
    "remedy.smaller-batch.note": (
        "Activations scale with the batch. An epoch has {times} times as many steps: check the "
        "learning rate."
    ),
    "remedy.smaller-batch.note_steps": (
        "Activations scale with the batch. An epoch has {times} times as many steps: check the "
        "learning rate, and what counts steps, as its schedule does."
    ),
    "remedy.smaller-batch.note_norm": (
        "Activations scale with the batch. Batch normalisation sees fewer samples at once, and an "
        "epoch has {times} times as many steps: check the learning rate."
    ),
    "remedy.smaller-batch.note_pairs": (
        "Activations scale with the batch. The loss compares the samples of a batch: with fewer of "
        "them it is another."
    ),
    "remedy.smaller-batch.note_evaluated": "Activations scale with the batch.",
    "remedy.smaller-batch.note_elsewhere": (
        "Half as a first try: how much fits was not measured, it ran in another process. Training "
        "changes slightly: check the learning rate."
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
}
_PAIRS = re.compile(r"info_?nce|nt_?xent|contrastive|sim_?clr", re.IGNORECASE)
_COUNTS_STEPS = re.compile(
    r"OneCycleLR|_steps\b|_schedule_with_|CyclicLR|len\(\w*(?:loader|dl)\w*\)"
)
_SMALLEST_RATIO = 1 / 1024
_UNSURE_RATIO = 1 / 8


def offer(evidence: Evidence, _finding: Finding | None) -> Offer | None:
    """Offer it where a literal is proven to scale the memory, and less of it would fit."""
    batch = evidence.batch
    if batch is None:
        return None
    predicted, is_here = _predicted(evidence, batch), not evidence.failure.in_other_process
    value = fitting(evidence)
    if value is None:
        return None
    change = edited(
        evidence,
        _changes_of(evidence, batch, value),
        sets=f"{batch.name} = {value}" if is_here else None,  # whether it fits is not seen
        done=message("fix.ok", TEXTS, name=batch.name, old=batch.value, new=value),
    )
    if not change.diffs and batch.cell.path is None:
        return None
    by_flag = bool(change.diffs) and change.diffs[0]["file"] is None
    ratio, peak = value / batch.value, evidence.peak
    return Offer(
        title=_title(evidence, batch, value, by_flag=by_flag),
        note=_note(evidence, batch, ratio, predicted),
        effect_bytes=peak.saved_bytes(evidence.batch_bytes, ratio) if is_here else None,
        at_least=peak.room_left < 1,
        edited=change,
    )


def _changes_of(evidence: Evidence, batch: SizeLiteral, value: int) -> list[CellChange]:
    """Change the number where it stands; an option's behind the `%run` of the failing cell.

    Or behind the command there, which is read as one.
    """
    cell, line, way = evidence.failure.cell, evidence.line, evidence.way
    path, started, read = batch.cell.path, "", cell
    if evidence.failure.in_other_process and evidence.scene.files:  # a command has started these
        (read, _), *_ = evidence.scene.steps
        started = PurePath(evidence.scene.files[0].key).name
    if path is None:
        changed = cell if started else batch.cell
        rewrite = of_command(smaller_batch(batch, value, way), cell.key, started)
        return [CellChange(changed, batch.line, rewrite)]
    if line is None:
        return []
    if batch.kind == "option":
        rewrite = by_flag(batch, value, way, Anchor.of(read.source, line))
        return [CellChange(cell, line, of_command(rewrite, cell.key, started))]
    if not path.endswith(".py") or not _is_at_notebook(evidence.failure.shell):
        return []
    rewrite = in_script(batch, value, way, cell.key, Anchor.of(cell.source, line), started)
    return [CellChange(batch.cell, batch.line, rewrite, (cell, line))]


def _is_at_notebook(shell: Any) -> bool:
    """Whether the kernel works where it began: in the notebook's folder, as a page takes it."""
    went = value_at(shell.user_ns, ("_dh",))
    began = went[0] if type(went) is list and went else None
    return type(began) in (str, type(Path())) and str(began) == str(Path.cwd())


def fitting(evidence: Evidence) -> int | None:
    """Return the largest of half the batch, a quarter … that should fit; `None`: none would."""
    batch = evidence.batch
    return None if batch is None else _fitting(evidence, batch, _predicted(evidence, batch))


def _predicted(evidence: Evidence, batch: SizeLiteral) -> Prediction | None:
    """Return what earlier runs of the failed cell say, if they do."""
    failure, index, memory = evidence.failure, evidence.device_index, evidence.memory
    start = failure.start_bytes
    if start is None or memory.in_use_bytes is None or memory.headroom_bytes is None:
        return None
    known = probes(batch, failure.cell, failure.runs, index)
    headroom = memory.in_use_bytes + memory.headroom_bytes - start
    prediction = predict(batch.name, known, start, headroom)
    return prediction if prediction.low is not None else None


def _note(
    evidence: Evidence, batch: SizeLiteral, ratio: float, predicted: Prediction | None
) -> Message:
    if evidence.failure.in_other_process:
        return message("remedy.smaller-batch.note_elsewhere", TEXTS)
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
    return _changes(evidence, round(1 / ratio))


def _changes(evidence: Evidence, times: int) -> Message:
    """Say what else a smaller batch changes: the weightiest that applies."""
    running, cells = evidence.scene.running, evidence.gate.notebook.cells
    if not running.trains:
        return message("remedy.smaller-batch.note_evaluated", TEXTS)
    if any(_PAIRS.search(cell.source) for cell in cells):
        return message("remedy.smaller-batch.note_pairs", TEXTS)
    classes = (name for facts in evidence.gate.live.models.values() for name in facts.classes)
    if any("BatchNorm" in name for name in classes):
        return message("remedy.smaller-batch.note_norm", TEXTS, times=times)
    if any(_COUNTS_STEPS.search(cell.source) for cell in cells):
        return message("remedy.smaller-batch.note_steps", TEXTS, times=times)
    return message("remedy.smaller-batch.note", TEXTS, times=times)


def _fitting(evidence: Evidence, batch: SizeLiteral, predicted: Prediction | None) -> int | None:
    """Return the largest of value/2, value/4 … that fits; `None` if none would.

    Measured runs decide where they can, else the estimate. Of another process only
    what it proposes is known, where it has measured itself.
    """
    if evidence.failure.in_other_process:
        return evidence.fitting_batch or batch.value // 2
    halves = [batch.value >> times for times in range(1, batch.value.bit_length())]
    if predicted is not None and predicted.low is not None:
        return next((half for half in halves if half <= predicted.low), None)
    return estimated(evidence, batch.value, evidence.batch_bytes)


def estimated(evidence: Evidence, value: int, scaling_bytes: int, *, power: int = 1) -> int | None:
    """Return the largest of value/2, value/4 … with which as much should fit; `None`: none.

    `scaling_bytes` grow with this power of the value.
    """
    halves = [value >> times for times in range(1, value.bit_length())]
    fits = (half for half in halves if evidence.peak.fits(scaling_bytes, (half / value) ** power))
    found = next(fits, 0)
    return found if found >= max(1, value * _SMALLEST_RATIO) else None


def _title(evidence: Evidence, batch: SizeLiteral, value: int, *, by_flag: bool) -> Message:
    place: dict[str, str | int] = {
        "name": batch.name,
        "old": batch.value,
        "new": value,
        "line": batch.line,
    }
    file = batch.cell.path
    if file is not None and by_flag:
        place |= {"flag": flag_of(batch) or "", "line": evidence.line or 1, "at": batch.line}
        return message("remedy.smaller-batch.flag", TEXTS, **place, file=file)
    if file is not None:
        return message("remedy.smaller-batch.file", TEXTS, **place, file=file)
    if batch.cell.key == evidence.failure.cell.key:
        return message("remedy.smaller-batch", TEXTS, **place)
    count = batch.cell.execution_count
    return message("remedy.smaller-batch.elsewhere", TEXTS, **place, execution_count=count)
