"""From a rewrite to an offer: in which cells it is made, and which are run after it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..code.batch import affects, defines_any, path_from, reads
from ..code.find import calls, names
from ..code.flow import trains
from ..code.parsing import parse_cell
from ..code.scopes import Function
from ..edits.rewrite import Anchor
from ..text.messages import message
from . import again
from .code_fix import CellChange, CodeFix, diffs_of
from .remedy import UNCHANGED, Edited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..cells.runs import CellRun
    from ..edits.rewrite import Rewrite
    from ..oom.evidence import Evidence
    from ..protocol.wire import Diff, Message

TEXTS = {
    "fix.done": "The code is changed as shown.",
    "fix.done.anew": "The code is changed as shown; `{model}` starts anew.",
    "fix.no_way": "No button: nothing leads from there to the failing cell, as they ran.",
    "fix.forgets": (
        "No button: cells that run again would make `{model}` anew, and lose what it has learnt."
    ),
    "fix.no_cell": "No button: the kernel does not know which cell of the notebook it is.",
}
_MOST_CELLS = 30
_SOON_S = 120.0
_HOOKS = re.compile(r"\.register_\w*hook\(")
_STREAMS = re.compile(r"^(\w+) = (?:\w+\.)*(?:BytesIO|StringIO|open|iter)\(", re.MULTILINE)
_TORCH = re.compile(r"^\s*import (?:.*,\s*)?torch(?: as (\w+))?\s*(?:[,;#].*)?$", re.MULTILINE)
_LEAVES_NOTHING = re.compile(r"\bSGD\((?!.*momentum)")


def cells(evidence: Evidence) -> Iterator[CellRun]:
    """Yield the cells to look for code in: those that ran, innermost first, then all others."""
    seen: set[str] = set()
    failure = evidence.failure
    running = [cell for cell, _ in reversed(evidence.scene.places)]
    for run in [*running, failure.cell, *reversed(failure.cells[-_MOST_CELLS:])]:
        if run.key not in seen:
            seen.add(run.key)
            yield run


def torch_name(evidence: Evidence) -> str | None:
    """Return the name that a cell imports PyTorch under; `None` where none does."""
    for run in evidence.failure.cells:
        match = _TORCH.search(run.source)
        if match is not None:
            return match[1] or "torch"
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


def _makers(evidence: Evidence, names: Iterable[str], run: Sequence[CellRun]) -> list[CellRun]:
    """Return the cells that make variables, unless one of those that run does."""
    runs = []
    for name in names:
        makers = [cell_run for cell_run in evidence.failure.cells if defines_any(cell_run, [name])]
        if not any(defines_any(cell_run, [name]) for cell_run in run):
            runs += makers[-1:]
    return runs


def _used_up(evidence: Evidence, run: Iterable[CellRun]) -> set[str]:
    """Return the names with which cells cannot run again: hooks are in them, or they are read.

    A second hook would stand beside the first; an open file is at its end.
    """
    found: set[str] = set()
    streams = {name for cell in evidence.failure.cells for name in _STREAMS.findall(cell.source)}
    for cell_run in run:
        found |= reads(cell_run) & streams
        if _HOOKS.search(cell_run.source):
            found |= affects(cell_run) & {model.name for model in evidence.models}
    return found


def _soon_learnt(evidence: Evidence, run: Sequence[CellRun]) -> bool:
    """Whether a model that is made anew learns again soon all that it may have learnt.

    What trains is among the cells that run, and the last of them has never come to its end.
    """
    failure, keys = evidence.failure, {cell_run.key for cell_run in run}
    return (
        sum((cell_run.end_s or failure.time_s) - cell_run.start_s for cell_run in run) <= _SOON_S
        and not any(
            cell_run.key == failure.cell.key and cell_run.status == "ok"
            for cell_run in failure.runs
        )
        and all(cell_run.key in keys for cell_run in failure.cells if _trains(cell_run))
    )


def _trains(cell: CellRun) -> bool:
    tree = parse_cell(cell.source)
    return tree is None or trains(tree)


def may_have_learnt(evidence: Evidence, run: Iterable[CellRun]) -> bool:
    """Whether a model may be another than when it was made: trained, or loaded by another cell.

    An optimizer that has stepped leaves its state or gradients; plain `SGD` may leave neither.
    """
    running, kinds, all_cells = evidence.scene.running, evidence.kinds, evidence.failure.cells
    if not running.trains or kinds.get("optimizer_state") or kinds.get("gradients"):
        return True
    again = {cell_run.key for cell_run in run} | {evidence.failure.cell.key}
    trees = [parse_cell(cell_run.source) for cell_run in all_cells if cell_run.key not in again]
    return any(_LEAVES_NOTHING.search(cell_run.source) for cell_run in all_cells) or any(
        trains(statement) or any(calls(statement, "load_state_dict", "load_weights"))
        for tree in trees
        for statement in (tree.body if tree is not None else ())
        if not isinstance(statement, (*Function, ast.ClassDef))
    )


def _is_about(change: CellChange, name: str) -> bool:
    """Whether a change is one of the statements in which a name stands."""
    source = change.cell.source
    before, after = (
        [
            ast.dump(statement)
            for statement in statements(text)
            if not hasattr(statement, "body")
            and name in names(statement) | names(statement, ast.Store)
        ]
        for text in (source, change.rewrite(source) or source)
    )
    return before != after


def statements(text: str) -> list[ast.stmt]:
    """Return all statements of a cell but what defines a function or a class."""
    tree = parse_cell(text)
    inner = ast.walk(tree) if tree is not None else ()
    return [
        node
        for node in inner
        if isinstance(node, ast.stmt) and not isinstance(node, (*Function, ast.ClassDef))
    ]


def _forgets(evidence: Evidence, run: Sequence[CellRun], anew: Sequence[str]) -> Message | None:
    if anew and may_have_learnt(evidence, run) and not _soon_learnt(evidence, run):
        return message("fix.forgets", TEXTS, model=anew[0])
    return None


def _advice(diffs: tuple[Diff, ...], changes: tuple[CellChange, ...], why: Message) -> Edited:
    return Edited(diffs, reason=why, attempt=CodeFix(changes, (), why))


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
    model that the change is not about would be made anew and lose what took long to learn.
    `empties` is a variable that still holds what the failed run put into it: the cell that makes it
    runs again, too. `sets` is what the first change sets, in short; `done` what is said when all is
    done.
    `by_itself`: the changed cell does it as it runs, whether or not a name leads to the failing
    one.
    """
    changes = tuple(changes or ())
    diffs = diffs_of(*changes, sets=sets)
    if not diffs:
        return UNCHANGED
    failure = evidence.failure
    for change in changes:
        why = change.objection(evidence.gate, change.cell.source)
        if why is not None:
            return _advice(diffs, changes, why)
    run: list[CellRun] = []
    starts: list[tuple[CellRun, set[int] | None]] = [each.place for each in changes]
    for cell, lines in starts:  # it grows meanwhile
        path = path_from(cell, failure.cell, failure.cells, lines=lines)
        if path is None and by_itself:
            path = (cell, failure.cell)
        if path is None:
            return _advice(diffs, changes, message("fix.no_way", TEXTS))
        run += [cell_run for cell_run in path if cell_run.key not in {one.key for one in run}]
        starts += [(cell_run, None) for cell_run in _makers(evidence, _used_up(evidence, run), run)]
        starts += [(cell_run, None) for cell_run in again.makers(evidence, run, changes)]
    run += _makers(evidence, [empties] if empties else [], run)
    order = {cell_run.key: n for n, cell_run in enumerate(failure.cells)}
    run.sort(key=lambda cell_run: (cell_run.key == failure.cell.key, order.get(cell_run.key, 0)))
    models = [model.name for model in evidence.models]
    meant = {name for name in models if any(_is_about(each, name) for each in changes)}
    anew = [
        name
        for name in models
        if name not in meant and any(defines_any(cell_run, [name]) for cell_run in run[:-1])
    ]
    why = again.objection(evidence, run, changes) or _forgets(evidence, run, anew)
    if why is not None:
        return _advice(diffs, changes, why)
    if anew and done is None:
        done = message("fix.done.anew", TEXTS, model=anew[0])
    ids = tuple([cell_run.cell_id for cell_run in run if cell_run.cell_id is not None])
    if len(ids) < len(run):
        return _advice(diffs, changes, message("fix.no_cell", TEXTS))
    said = done or message("fix.done", TEXTS)
    ran, files = failure.cells, evidence.scene.files
    return Edited(diffs, CodeFix(changes, ids, said, ran, files, evidence.gate.live))
