"""Whether what goes into the failing code requires gradients: then these are its purpose.

As in attribution, adversarial examples and penalties. Read off the tensors in the frames, of which
parameters of models are none.
"""

from __future__ import annotations

import ast
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from ..code.parsing import parse_cell
from ..holders.frames import is_installed, locals_of
from ..inspection.kinds import mro, name_of
from .failing_line import CALLS_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..cells.runs import CellRun
    from ..holders.inspector import Inspector

_MOST_FRAMES = 200


def inputs_require_grad(
    error: BaseException, places: Iterable[tuple[CellRun, int]], inspector: Inspector
) -> bool:
    """Return whether a tensor with gradients goes into the statement that failed.

    `places` are the lines on the way, outermost first.
    """
    frames = [frame for frame, _ in list(walk_tb(error.__traceback__))[-_MOST_FRAMES:]]
    own = [frame for frame in frames if not is_installed(frame)]
    given: list[Any] = []
    for frame in own:
        variables = locals_of(frame)
        if frame.f_code.co_name == "<module>":
            given += _read(variables, places)
        else:  # of a round before, `out` has a graph as well, but is no leaf
            given += [v for v in variables.values() if _is_leaf(v, inspector)]
    for frame in frames:
        if frame.f_code.co_name in CALLS_MODEL:
            variables = locals_of(frame)
            given += _within([variables.get("args"), variables.get("kwargs")])
            break
    return any(_requires_grad(value, inspector) for value in given)


def _read(variables: Mapping[str, Any], places: Iterable[tuple[CellRun, int]]) -> list[Any]:
    """Return what the first statement on the way reads, without what its methods are called on."""
    for cell, line in places:
        tree = parse_cell(cell.source)
        inner = [] if tree is None else list(_statements_on(tree, line))
        if cell.path is not None or not inner:
            continue
        statement = inner[-1]
        names = [
            node
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        ]
        owners = {id(node.value) for node in ast.walk(statement) if isinstance(node, ast.Attribute)}
        found = [variables.get(node.id) for node in names if id(node) not in owners]
        return [*_within(found), *(variables.get(node.id) for node in names)]
    return []


def _statements_on(tree: ast.AST, line: int) -> Iterator[ast.stmt]:
    """Yield the statements on a line, the outermost first; what is in a block is its own."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            yield node
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from _statements_on(node, line)


def _within(values: Iterable[Any]) -> list[Any]:
    """Return values, and what plain containers among them have."""
    found = list(values)
    for value in found:  # it grows meanwhile
        if len(found) < _MOST_FRAMES and type(value) in (list, tuple):
            found += value
        elif len(found) < _MOST_FRAMES and type(value) is dict:
            found += value.values()
    return found


def _requires_grad(value: Any, inspector: Inspector) -> bool:
    torch = inspector.torch
    if torch is None or not inspector.is_tensor(value):
        return False
    is_parameter = any(name_of(base) == "Parameter" for base in mro(type(value)))
    return not is_parameter and bool(torch.get(value, "requires_grad"))


def _is_leaf(value: Any, inspector: Inspector) -> bool:
    torch = inspector.torch
    return (
        torch is not None and _requires_grad(value, inspector) and bool(torch.get(value, "is_leaf"))
    )
