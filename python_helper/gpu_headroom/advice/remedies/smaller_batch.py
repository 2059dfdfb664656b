"""Halve the batch until the estimate fits: an edit of one literal."""

from __future__ import annotations

import ast
import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from ...cells.values import value_at
from ...code.beside import script_at
from ...code.find import called
from ...code.reading import walk
from ...edits.code_fix import CellChange, Edited, edited
from ...edits.number import add_flag, flag_of, is_plain_text, of_command, set_number
from ...edits.rewrite import Anchor
from ...oom.fitting import estimated, fitting, predicted
from ...text.messages import message, say
from ..finding import place_of
from ..remedy import Shown, suggestion
from ..rules.running import scaling_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...code.literals import SizeLiteral
    from ...oom.evidence import Evidence
    from ..finding import Finding

TEXTS = {
    "batch.steps": "An epoch has {times} times as many steps: check the learning rate.",
    "batch.rounds": (
        "The loop makes as many rounds as before (line {line}), with 1/{times} of the samples."
    ),
    "batch.pairs": "The loss compares the samples of a batch: with fewer of them it is another.",
    "batch.norm": "Batch normalization sees fewer samples at once.",
    "batch.schedule": (
        "`{name}` is made for {steps} steps (`{attribute}`): multiply that by {times}."
    ),
    "batch.accumulates": (
        "{steps} batches make one step here (`{name}`): {more} give it as many samples as before."
    ),
    "fix.ok": "`{name} = {old}` becomes `{new}`.",
}
_PAIRS = re.compile(
    r"info_?nce|nt_?xent|contrastive|sim_?clr|triplet|TripletMarginLoss|supcon|clip_?loss",
    re.IGNORECASE,
)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_UNSURE_RATIO = 1 / 8


@suggestion(
    "smaller-batch",
    "activations",
    "huge-request",
    "elsewhere",
    title="`{name} = {old}` → `{new}` ({place})",
    flag="`{flag} {new}` in line {line} (the default is {old}: {file}, line {at})",
    attribute="`{name} = {new}`: {new} at once instead of {old}",
    either="`{name} = {old}` ({place}) or `{twin} = {old}` ({twin_place}) → `{new}`",
    note="Activations scale with the batch. {changes}",
    note_evaluated="Activations scale with the batch.",
    note_elsewhere="Half as a first try: it ran in another process. Check the learning rate.",
    note_unsure="Activations scale with the batch, but it may not fit even so. {changes}",
    note_imported="Change it in `{file}` and restart the kernel, which does not read it again.",
    note_predicted=(
        "By measured runs the largest `{name}` lies between {low} and {high}. {changes}"
    ),
    alone=True,
)
def smaller_batch(evidence: Evidence, _: Finding) -> Shown | None:
    """Offer it where a number scales the memory, and less of it would fit."""
    batch = evidence.batch
    if batch is None:
        return _of_attribute(evidence)
    is_here, value = not evidence.failure.in_other_process, fitting(evidence)
    if value is None:
        return None
    found, twin = _change_of(evidence, batch, value), evidence.batch_twin
    cell = evidence.failure.cell
    change = edited(
        evidence,
        None if twin else found.change,
        sets=f"{batch.name} = {value}" if is_here else None,  # whether it fits is not seen
        done=message("fix.ok", TEXTS, name=batch.name, old=batch.value, new=value),
    )
    if found.is_imported:
        change = Edited(change.diffs)
    if not (change.diffs or twin or batch.cell.path):
        return None
    ratio, peak, title = value / batch.value, evidence.peak, ""
    saved = peak.saved_bytes(evidence.batch_bytes, ratio)
    note, params = _note(evidence, ratio)
    params |= {"name": batch.name, "old": batch.value, "new": value, "place": place_of(batch, cell)}
    if twin is not None:
        title = "either"
        params |= {"twin": twin.name, "twin_place": place_of(twin, cell)}
    elif batch.cell.path and change.diffs and change.diffs[0]["file"] is None:
        title = "flag"
        params |= {"flag": flag_of(batch), "line": evidence.line or 1, "at": batch.line}
    return Shown(
        {**params, "file": batch.cell.path},
        saved if is_here else None,
        edited=change,
        title=title,
        note="note_imported" if found.is_imported else note,
        at_least=peak.room_left < 1 or saved == evidence.failed_at_bytes,
    )


def _of_attribute(evidence: Evidence) -> Shown | None:
    """Offer it of an object that has a number of its own."""
    known, scaling = evidence.at_once, scaling_bytes(evidence)
    new = estimated(evidence, known.value, scaling) if known and known.attribute else None
    if known is None or new is None:
        return None
    return Shown(
        {"name": known.attribute, "old": known.value, "new": new},
        evidence.peak.saved_bytes(scaling, new / known.value),
        example=f"{known.attribute} = {new}",
        title="attribute",
        note="note_evaluated",
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


def _note(evidence: Evidence, ratio: float) -> tuple[str, dict[str, str | int | None]]:
    """Return which note says what another batch changes, and what it shows."""
    if evidence.failure.in_other_process:
        return "note_elsewhere", {}
    changes, known = " ".join(_changed_by(evidence, round(1 / ratio))), predicted(evidence)
    if known is not None:
        return "note_predicted", {"low": known.low, "high": known.high, "changes": changes}
    if evidence.requested_bytes is None or ratio < _UNSURE_RATIO:
        return "note_unsure", {"changes": changes}
    return "note" if changes else "note_evaluated", {"changes": changes}


def _changed_by(evidence: Evidence, times: int) -> Iterator[str]:
    """Yield sentences on what changes with a batch that is `times` smaller; none in evaluation."""
    if not evidence.scene.running.trains:
        return
    live = evidence.live
    rounds = list(_of_loop(evidence, times))
    if not rounds:
        yield say("batch.steps", TEXTS, times=times)
    yield from rounds
    if any("BatchNorm" in name for facts in live.models.values() for name in facts.classes):
        yield say("batch.norm", TEXTS)
    if any(_PAIRS.search(cell.source) for cell in evidence.notebook.cells):
        yield say("batch.pairs", TEXTS)
    for name, (attribute, steps) in live.schedules.items():
        yield say("batch.schedule", TEXTS, name=name, attribute=attribute, steps=steps, times=times)
    for name, steps in live.accumulates.items():
        yield say("batch.accumulates", TEXTS, name=name, steps=steps, more=steps * times)


def _of_loop(evidence: Evidence, times: int) -> Iterator[str]:
    """Yield what the innermost loop of a fixed number of rounds makes of fewer samples."""
    batch = evidence.batch
    for run, number in reversed(evidence.scene.steps):
        cell = evidence.notebook.cell(run.key, run.source)
        statement = None if cell is None else cell.statement_on(number)
        if cell is None or statement is None:
            continue
        around = [node for node in cell.parents(statement) if isinstance(node, _LOOPS)]
        if around:
            if _is_fixed(around[0], batch.name if batch is not None else ""):
                yield say("batch.rounds", TEXTS, line=around[0].lineno, times=times)
            return


def _is_fixed(loop: ast.AST, name: str) -> bool:
    """Return whether a loop has a number of rounds that no batch is in."""
    given = getattr(loop, "iter", None)
    if called(given) not in ("range", "trange") or not isinstance(given, ast.Call):
        return isinstance(loop, ast.While)
    words = {node.id for node in walk(given) if isinstance(node, ast.Name)} - {"range"}
    counts = any(called(node) == "len" for node in walk(given))
    return not counts and name not in words and len(given.args) < 3  # noqa: PLR2004  no step
