"""Halve the batch until the estimate fits: an edit of one literal."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from ...cells.values import value_at
from ...code.beside import script_at
from ...edits.number import add_flag, flag_of, is_plain_text, of_command, set_number
from ...edits.rewrite import Anchor
from ...oom.largest_batch import predict, probes
from ...text.messages import message
from ..batch_changes import changed_by
from ..code_fix import CellChange
from ..editing import edited
from ..remedy import Edited, Offer

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
    "remedy.smaller-batch.note": "Activations scale with the batch. {changes}",
    "remedy.smaller-batch.note_evaluated": "Activations scale with the batch.",
    "remedy.smaller-batch.note_elsewhere": (
        "Half as a first try: how much fits was not measured, it ran in another process. Training "
        "changes slightly: check the learning rate."
    ),
    "remedy.smaller-batch.note_unsure": (
        "Activations scale with the batch, but even so it may not fit. {changes}"
    ),
    "remedy.smaller-batch.note_imported": (
        "Change it in `{file}` and restart the kernel: what is imported is not read again."
    ),
    "remedy.smaller-batch.note_predicted": (
        "Measured runs of this cell say that the largest `{name}` lies between {low} and {high}. "
        "{changes}"
    ),
    "fix.ok": "`{name} = {old}` becomes `{new}`.",
}
_SMALLEST_RATIO = 1 / 1024
_UNSURE_RATIO = 1 / 8


def offer(evidence: Evidence, _finding: Finding | None) -> Offer | None:
    """Offer it where a number scales the memory, and less of it would fit."""
    batch = evidence.batch
    if batch is None:
        return None
    predicted, is_here = _predicted(evidence, batch), not evidence.failure.in_other_process
    value = fitting(evidence)
    if value is None:
        return None
    found = _change_of(evidence, batch, value)
    change = edited(
        evidence,
        found.change,
        sets=f"{batch.name} = {value}" if is_here else None,  # whether it fits is not seen
        done=message("fix.ok", TEXTS, name=batch.name, old=batch.value, new=value),
    )
    if found.is_imported:
        change = Edited(change.diffs)
    if not change.diffs and batch.cell.path is None:
        return None
    by_flag = bool(change.diffs) and change.diffs[0]["file"] is None
    ratio, peak = value / batch.value, evidence.peak
    note = _note(evidence, batch, ratio, predicted)
    if found.is_imported:
        note = message("remedy.smaller-batch.note_imported", TEXTS, file=batch.cell.path)
    return Offer(
        title=_title(evidence, batch, value, by_flag=by_flag),
        note=note,
        effect_bytes=peak.saved_bytes(evidence.batch_bytes, ratio) if is_here else None,
        at_least=peak.room_left < 1,
        edited=change,
    )


class _Found(NamedTuple):
    """The change of a number, if it can be made; of no use in a file that `is_imported`."""

    change: CellChange | None
    is_imported: bool = False


def _change_of(evidence: Evidence, batch: SizeLiteral, value: int) -> _Found:
    """Change the number where it stands; an option's behind the `%run` of the failing cell.

    Or behind the command there, which is read as one.
    """
    cell, line = evidence.failure.cell, evidence.line
    path, started, read = batch.cell.path, "", cell
    if evidence.failure.in_other_process and evidence.scene.files:  # a command has started these
        (read, _), *_ = evidence.scene.steps
        started = PurePath(evidence.scene.files[0].key).name
    if path is None:
        changed = cell if started else batch.cell
        rewrite = of_command(set_number(batch, value), started)
        return _Found(CellChange(changed, batch.line, rewrite))
    if line is None:
        return _Found(None)
    flag = flag_of(batch) if batch.kind == "option" else None
    if flag is not None:
        rewrite = add_flag(Anchor.of(read.source, line), flag, value)
        change = CellChange(cell, line, of_command(rewrite, started))
        if change.diff() is not None:
            return _Found(change)
    is_plain = path.endswith(".py") and is_plain_text(batch.cell.source)
    if not is_plain or not _is_at_notebook(evidence.failure.shell):
        return _Found(None)
    run = script_at(cell.source, line)
    is_imported = not started and (run is None or run.key != batch.cell.key)
    return _Found(
        CellChange(batch.cell, batch.line, set_number(batch, value), (cell, line)), is_imported
    )


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
    changes = " ".join(changed_by(evidence, round(1 / ratio)))
    if predicted is not None:
        low, high = predicted.low, predicted.high
        said = {"name": batch.name, "low": low, "high": high, "changes": changes}
        return message("remedy.smaller-batch.note_predicted", TEXTS, **said)
    if evidence.requested_bytes is None or ratio < _UNSURE_RATIO:
        return message("remedy.smaller-batch.note_unsure", TEXTS, changes=changes)
    if not changes:
        return message("remedy.smaller-batch.note_evaluated", TEXTS)
    return message("remedy.smaller-batch.note", TEXTS, changes=changes)


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
