"""Halve the batch until the estimate fits."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ...code.find import called
from ...code.reading import walk
from ...code.rounds import LOOP
from ...oom.fitting import estimated, fitting, predicted
from ...text.messages import say
from ..finding import place_of
from ..remedy import Shown, suggestion
from ..rules.running import scaling_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

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
}
_PAIRS = re.compile(
    r"info_?nce|nt_?xent|contrastive|sim_?clr|triplet|TripletMarginLoss|supcon|clip_?loss",
    re.IGNORECASE,
)
_UNSURE_RATIO = 1 / 8


@suggestion(
    "smaller-batch",
    "activations",
    "huge-request",
    "elsewhere",
    title="`{name} = {old}` → `{new}` ({place})",
    attribute="`{name} = {new}`: {new} at once instead of {old}",
    either="`{name} = {old}` ({place}) or `{twin} = {old}` ({twin_place}) → `{new}`",
    note="Activations scale with the batch. {changes}",
    note_evaluated="Activations scale with the batch.",
    note_elsewhere="Half as a first try: it ran in another process. Check the learning rate.",
    note_unsure="Activations scale with the batch, but it may not fit even so. {changes}",
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
    value = fitting(evidence)
    if value is None:
        return None
    twin, cell = evidence.batch_twin, evidence.failure.cell
    ratio, peak, title = value / batch.value, evidence.peak, ""
    saved = peak.saved_bytes(evidence.batch_bytes, ratio)
    note, params = _note(evidence, ratio)
    params |= {"name": batch.name, "old": batch.value, "new": value, "place": place_of(batch, cell)}
    if twin is not None:
        title = "either"
        params |= {"twin": twin.name, "twin_place": place_of(twin, cell)}
    return Shown(
        {**params, "file": batch.cell.path},
        None if evidence.failure.in_other_process else saved,
        title=title,
        note=note,
        at_least=peak.room_left < 1 or saved == evidence.failed_at_bytes,
    )


def _of_attribute(evidence: Evidence) -> Shown | None:
    """Offer it of an object that has a number of its own."""
    at_once, scaling = evidence.at_once, scaling_bytes(evidence)
    new = estimated(evidence, at_once.value, scaling) if at_once and at_once.attribute else None
    if at_once is None or new is None:
        return None
    return Shown(
        {"name": at_once.attribute, "old": at_once.value, "new": new},
        evidence.peak.saved_bytes(scaling, new / at_once.value),
        example=f"{at_once.attribute} = {new}",
        title="attribute",
        note="note_evaluated",
    )


def _note(evidence: Evidence, ratio: float) -> tuple[str, dict[str, str | int | None]]:
    """Return the id of the note on the effects of another batch, and the note's values."""
    if evidence.failure.in_other_process:
        return "note_elsewhere", {}
    changes, forecast = " ".join(_changed_by(evidence, round(1 / ratio))), predicted(evidence)
    if forecast is not None:
        return "note_predicted", {"low": forecast.low, "high": forecast.high, "changes": changes}
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
        around = [node for node in cell.parents(statement) if isinstance(node, LOOP)]
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
