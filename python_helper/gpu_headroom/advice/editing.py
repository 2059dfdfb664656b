"""From a rewrite to an offer: in which cells it is made, and which are run after it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..cells.batch import defines_any, path_from
from ..cells.given import Function
from ..cells.parsing import parse_cell
from ..edits.find import calls
from ..edits.rewrite import Anchor
from ..text.messages import message
from .code_fix import CellChange, CodeFix, diffs_of
from .remedy import UNCHANGED, Edited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..cells.runs import CellRun
    from ..edits.rewrite import Rewrite
    from ..oom.evidence import Evidence
    from ..protocol.wire import Message

TEXTS = {"fix.done": "The code is changed as shown."}
_MOST_CELLS = 30
_TORCH = re.compile(r"^\s*import torch(?: as (\w+))?\s*(?:#.*)?$", re.MULTILINE)
_LEAVES_NOTHING = re.compile(r"\bSGD\((?!.*momentum)")
_LEARN = {"backward", "fit", "step", "load_state_dict", "load_weights"}


def cells(evidence: Evidence) -> Iterator[CellRun]:
    """Yield the cells to look for code in: those that ran, innermost first, then all others."""
    seen: set[str] = set()
    failure = evidence.failure
    running = [cell for cell, _ in reversed(evidence.scene.places)]
    for each in [*running, failure.cell, *reversed(failure.cells[-_MOST_CELLS:])]:
        if each.key not in seen:
            seen.add(each.key)
            yield each


def torch_name(evidence: Evidence) -> str | None:
    """Return the name that a cell imports PyTorch under; `None` where none does."""
    for each in evidence.failure.cells:
        found = _TORCH.search(each.source)
        if found is not None:
            return found[1] or "torch"
    return None


def at_places(
    evidence: Evidence, make: Callable[[Anchor], Rewrite]
) -> tuple[CellChange, ...] | None:
    """Return the first change that holds at a line on the way to the failure, innermost first."""
    for cell, line in reversed(evidence.scene.places):
        change = CellChange(cell, line, make(Anchor.of(cell.source, line)))
        if change.diff() is not None:
            return (change,)
    return None


def in_first_cell(evidence: Evidence, *rewrites: Rewrite) -> tuple[CellChange, ...] | None:
    """Return the first of the rewrites that changes a cell, in the first cell that it changes."""
    for rewrite in rewrites:
        for cell in cells(evidence):
            change = CellChange(cell, 1, rewrite)
            if change.diff() is not None:
                return (change,)
    return None


def _makers(evidence: Evidence, name: str, run: list[CellRun]) -> list[CellRun]:
    """Return the cell that makes a variable, unless one of those that run does."""
    if not name or any(defines_any(each, [name]) for each in run):
        return []
    makers = [each for each in evidence.failure.cells if defines_any(each, [name])]
    return makers[-1:]


def may_have_learnt(evidence: Evidence, run: Iterable[CellRun]) -> bool:
    """Whether a model may be another than when it was made: trained, or loaded by another cell.

    An optimizer that has stepped leaves its state or gradients; plain `SGD` may leave neither.
    """
    running, kinds, all_cells = evidence.scene.running, evidence.kinds, evidence.failure.cells
    if not running.trains or kinds.get("optimizer_state") or kinds.get("gradients"):
        return True
    again = {each.key for each in run} | {evidence.failure.cell.key}
    trees = {each.key: parse_cell(each.source) for each in all_cells}
    functions = {
        node.name
        for tree in trees.values()
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, Function) and any(calls(node, *_LEARN))
    }
    return any(_LEAVES_NOTHING.search(each.source) for each in all_cells) or any(
        any(calls(statement, *_LEARN, *functions))
        for key, tree in trees.items()
        if key not in again and tree is not None
        for statement in tree.body
        if not isinstance(statement, (*Function, ast.ClassDef))
    )


def edited(  # noqa: PLR0913  all that a change may be
    evidence: Evidence,
    changes: Iterable[CellChange] | None,
    *,
    empties: str = "",
    sets: str | None = None,
    done: Message | None = None,
    by_itself: bool = False,
) -> Edited:
    """Return the diffs of changes, and the fix behind them where the cells can be run again.

    Nothing where there are no changes, or where one does not hold. There is no fix, so that the
    diffs are advice, where no code leads from the changed cells to the failing one, or where a
    model would be made anew on the way and lose what it has learnt. `empties` is a variable that
    still holds what the failed run put into it: the cell that makes it runs again, too. `sets` is
    what the first change sets, in short; `done` what is said when all is done. `by_itself`: the
    changed cell does it as it runs, whether or not a name leads from there to the failing one.
    """
    changes = tuple(changes or ())
    diffs = diffs_of(*changes, sets=sets)
    if not diffs:
        return UNCHANGED
    failure = evidence.failure
    run: list[CellRun] = []
    for change in changes:
        after = change.rewrite(change.cell.source)
        path = path_from(change.cell, failure.cell, failure.cells, after=after)
        if path is None and by_itself:
            path = (change.cell, failure.cell)
        if path is None:
            return Edited(diffs)
        run += [each for each in path if each.key not in {one.key for one in run}]
    run += _makers(evidence, empties, run)
    order = {each.key: n for n, each in enumerate(failure.cells)}
    run.sort(key=lambda each: (each.key == failure.cell.key, order.get(each.key, 0)))
    changed = {each.cell.key for each in changes}
    makes = [each for each in run if defines_any(each, [one.name for one in evidence.models])]
    if any(each.key not in changed for each in makes) and may_have_learnt(evidence, run):
        return Edited(diffs)
    ids = tuple([each.cell_id for each in run if each.cell_id is not None])
    if len(ids) < len(run):
        return Edited(diffs)
    return Edited(diffs, CodeFix(changes, ids, done or message("fix.done", TEXTS)))
