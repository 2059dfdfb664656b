"""What earlier runs of a cell left under names that it gives other values first, and in `Out`.

Run again, the cell would have both at once: the values of the run that failed, and its own. They
are freed only for *Apply and re-run*, which says so, and never offered in a plan.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from ..code.batch import Code
from ..code.find import names
from ..code.flow import read_first
from ..code.given import Function
from ..code.parsing import parse_cell
from ..holders.names import user_names
from ..text.messages import message
from .freeable import Freeable
from .outputs import forget
from .variables import delete, holds_memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..cells.runs import CellRun
    from .situation import Situation

KIND = "rerun"


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield for each cell that is to run again the names it sets anew, as `rerun:<cell id>`."""
    for cell in situation.cells:
        if cell.cell_id is not None and f"{KIND}:{cell.cell_id}" in situation.wanted:
            yield from _of_cell(situation, cell, cell.cell_id)


def _of_cell(situation: Situation, cell: CellRun, cell_id: str) -> Iterator[Freeable]:
    values = user_names(situation.shell)
    names = [
        each
        for each in sorted(set_anew(cell, situation.cells))
        if each in values and _holds(situation, values[each])
    ]
    displayed = _displayed(situation, cell)
    if not names and not displayed:
        return
    shown = ", ".join([*names, *[f"Out[{each}]" for each in displayed]])
    gone = [*[values[each] for each in names], *displayed.values()]
    yield Freeable(
        id=f"{KIND}:{cell_id}",
        kind="leftover",
        title=message("item.leftover.same", names=shown),
        cost=message("item.leftover.cost"),
        gives=situation.heap.retained(gone),
        free=partial(_free, situation.shell, tuple(names), tuple(displayed)),
        names=tuple(names),
        confirm=message("confirm.delete_unmeasured", names=shown),
    )


def _displayed(situation: Situation, cell: CellRun) -> dict[int, Any]:
    """Return what runs of just this code have displayed, by their number."""
    history = situation.shell.history_manager
    codes, source = history.input_hist_raw, cell.source.strip()
    return {
        count: value
        for count, value in list(history.output_hist.items())
        if count < len(codes) and codes[count].strip() == source and holds_memory(situation, value)
    }


def _free(shell: Any, names: tuple[str, ...], counts: tuple[int, ...]) -> None:
    delete(shell, names)
    history = shell.history_manager.output_hist
    forget(shell, {id(history[each]) for each in counts if each in history})


def _holds(situation: Situation, value: object) -> bool:
    """Whether a value holds memory; what a checkpointed graph computes again cannot be seen."""
    inspector = situation.inspector
    has_graph = inspector.is_tensor(value) and inspector.graph_of(value) is not None
    return has_graph or holds_memory(situation, value)


def set_anew(cell: CellRun, cells: tuple[CellRun, ...]) -> set[str]:
    """Return the names that a cell sets at its top before it reads them.

    Without those that a function of the notebook reads as it is called.
    """
    tree = parse_cell(cell.source)
    if tree is None:
        return set()
    made: set[str] = set()
    early = read_first(tree.body, made)
    return made - early - (_read_by_functions(cells) - _set_first(tree, cells))


def _set_first(tree: ast.Module, cells: tuple[CellRun, ...]) -> set[str]:
    """Return the names that a cell sets before it may call a function of the notebook."""
    code = Code()
    own = {name for each in cells for name in code.of(each).stores}
    found: set[str] = set()
    for each in tree.body:
        calls = [node for node in ast.walk(each) if isinstance(node, ast.Call)]
        if not isinstance(each, Function) and any(_root(call) in own for call in calls):
            break
        found |= names(each, ast.Store)
    return found


def _root(node: ast.expr) -> str:
    """Return `copy` of `copy.deepcopy(model).eval()`."""
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _read_by_functions(cells: tuple[CellRun, ...]) -> set[str]:
    read: set[str] = set()
    for each in cells:
        tree = parse_cell(each.source)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, Function):
                named = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
                own = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
                own |= {one.id for one in named if isinstance(one.ctx, ast.Store)}
                read |= {one.id for one in named} - own
    return read
