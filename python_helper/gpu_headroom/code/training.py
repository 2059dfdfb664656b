"""Whether code trains: computes gradients, or steps an optimizer."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .find import called, dotted, method
from .parsing import parse_cell
from .reading import walk
from .scopes import Definition, Function
from .side_effects import calls_from, functions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BACKWARD = frozenset({"backward", "manual_backward"})
_TRAINS = re.compile(r"(?<!pre)train|fit|learn|optimi|backward", re.IGNORECASE)
_NO_TRAINING = re.compile(r"split|load|data|transform|config|path|dir", re.IGNORECASE)


def goes_back(call: ast.AST) -> bool:
    """Return whether a call computes gradients: `loss.backward()`, `grad(loss, x)` and the like."""
    name, given = called(call), isinstance(call, ast.Call) and bool(call.args)
    if name == "gradient" and isinstance(call, ast.Call):
        return dotted(call.func) not in ("np.gradient", "numpy.gradient", "torch.gradient")
    return name in _BACKWARD or (name == "grad" and given)


def going_back(tree: ast.AST) -> set[str]:
    """Return the names of the functions in a text that go back from what they are given."""
    return {
        node.name
        for node in walk(tree)
        if isinstance(node, Function)
        and {arg.arg for arg in node.args.args}
        & {back.id for back in backwards(node) if isinstance(back, ast.Name)}
    }


def backwards(tree: ast.AST) -> list[ast.expr]:
    """Return what `backward()` is called on, or the calls that gradients are asked by."""
    expressions: list[ast.expr] = []
    for node in walk(tree):
        if isinstance(node, ast.Call) and goes_back(node):
            value = method(node, "backward")
            expressions += [expression for expression in (value,) if expression is not None]
            expressions += [node] if node.args else []
    return expressions


def trains(node: ast.AST) -> bool:
    """Return whether a piece of code computes gradients or steps an optimizer."""
    return bool(backwards(node)) or any(
        _TRAINS.search(name) and (child.args or "trainer" in dotted(child.func).lower())
        if (name := called(child)) != "step"
        else not child.args or dotted(child.func).startswith("scaler.")
        for child in walk(node)
        if isinstance(child, ast.Call)
    )


def trains_again(source: str, cells: Iterable[str]) -> bool:
    """Return whether a cell trains as it runs, also by functions of these cells that it calls."""
    tree = parse_cell(source)
    return tree is None or _trains([tree], functions_of([*cells, source]))


def trained_before(source: str, line: int, cells: Iterable[str]) -> bool:
    """Return whether what runs before a line of a cell, or of a function in it, trains."""
    tree = parse_cell(source)
    before: list[ast.stmt] = []
    node: ast.AST | None = tree
    while node is not None:
        inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
        before = [] if isinstance(node, Definition) else before
        before += [statement for statement in inner if (statement.end_lineno or line) < line]
        node = next((e for e in inner if e.lineno <= line <= (e.end_lineno or 0)), None)
    return tree is None or _trains(
        [statement for statement in before if not isinstance(statement, Definition)],
        functions_of([*cells, source]),
    )


def _trains(code: Iterable[ast.AST], functions: Mapping[str, list[ast.AST]]) -> bool:
    return any(trains(call) and not _is_other(name) for name, call in calls_from(code, functions))


def _is_other(name: str) -> bool:
    """Return whether a name only sounds like training: `train_test_split`, a class."""
    last = name.rpartition(".")[2]
    return _NO_TRAINING.search(last) is not None or last[:1].isupper()
