"""What else a smaller batch changes, as live objects and the failing loop show it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..code.find import called
from ..text.messages import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..code.notebook import CellCode
    from ..oom.evidence import Evidence

TEXTS = {
    "batch.steps": "An epoch has {times} times as many steps: check the learning rate.",
    "batch.rounds": (
        "The loop makes as many rounds as before (line {line}) and sees a {times}th of the samples."
    ),
    "batch.ends": "The loop may end early (line {line}) and then sees fewer samples.",
    "batch.iterator": "`{name}` is read once a round and gives fewer samples in all.",
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
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def changed_by(evidence: Evidence, times: int) -> Iterator[str]:
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
    """Yield what a loop of fixed rounds, an early end or an iterator makes of fewer samples."""
    batch = evidence.batch
    for run, number in reversed(evidence.scene.steps):
        cell = evidence.notebook.cell(run.key, run.source)
        statement = None if cell is None else cell.statement_on(number)
        if cell is None or statement is None:
            continue
        around = [node for node in cell.parents(statement) if isinstance(node, _LOOPS)]
        if not around:
            continue
        yield from _of_iterator(around[0])
        loop, line = around[0], around[0].lineno
        if _is_fixed(loop, batch.name if batch is not None else ""):
            yield say("batch.rounds", TEXTS, line=line, times=times)
        elif (end := _end(cell, loop)) is not None:
            yield say("batch.ends", TEXTS, line=end)
        return


def _is_fixed(loop: ast.AST, name: str) -> bool:
    """Return whether a loop has a number of rounds that no batch is in."""
    given = getattr(loop, "iter", None)
    if called(given) not in ("range", "trange") or not isinstance(given, ast.Call):
        return isinstance(loop, ast.While)
    words = {node.id for node in ast.walk(given) if isinstance(node, ast.Name)} - {"range"}
    counts = any(called(node) == "len" for node in ast.walk(given))
    return not counts and name not in words and len(given.args) < 3  # noqa: PLR2004  no step


def _of_iterator(loop: ast.AST) -> Iterator[str]:
    for node in ast.walk(loop):
        if called(node) == "next" and isinstance(node, ast.Call) and node.args:
            yield say("batch.iterator", TEXTS, name=ast.unparse(node.args[0])[:60])
            return


def _end(cell: CellCode, loop: ast.AST) -> int | None:
    """Return the line of a `break` that leaves this loop."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Break):
            inner = next((each for each in cell.parents(node) if isinstance(each, _LOOPS)), None)
            if inner is loop:
                return node.lineno
    return None
