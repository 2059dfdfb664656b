"""Literals in the code of a cell that may say how large a batch is, found with `ast`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from .parsing import parse_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .runs import CellRun

Function = (ast.FunctionDef, ast.AsyncFunctionDef)

_NAME = re.compile(r"(?:.*_)?(?:batch_?size|bs|batch|bsz)", re.IGNORECASE)
_LARGEST = 2**40
_LARGEST_EXPONENT = 40
_MOST_FACTORS = 20


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with a default; `callee` is what is called, `position` counts without `self`."""

    callee: str
    name: str
    position: int | None


@dataclass(frozen=True, slots=True)
class BatchLiteral:
    """A literal in a cell: lines are 1-based, columns count UTF-8 bytes, as `ast` does.

    `variable` is true for a variable of the notebook, `parameter` is there for a default.
    """

    cell: CellRun
    name: str
    value: int
    line: int
    column: int
    end_column: int
    variable: bool
    parameter: Parameter | None


class _Given(NamedTuple):
    """A value in the code, and what it is given to."""

    name: str
    value: ast.expr
    variable: bool = False
    parameter: Parameter | None = None


def literals_in(cell: CellRun, source: str) -> list[BatchLiteral]:
    """Return the batch literals of a cell as its `source` is now; none where it does not parse."""
    tree = parse_cell(source)
    return [] if tree is None else literals_of(cell, tree)


def replaced(source: str, literal: BatchLiteral, value: int) -> tuple[str, str] | None:
    """Return the literal's line before and after it is set to `value`.

    `None` unless the literal stands there, and the changed cell parses and says `value`.
    """
    lines = source.split("\n")
    if literal.line > len(lines):
        return None
    line = lines[literal.line - 1]
    raw = line.encode()
    before, after = raw[: literal.column], raw[literal.end_column :]
    old = raw[literal.column : literal.end_column].decode(errors="replace")
    if _value_of(old) != literal.value:
        return None
    new = f"{value:_}" if "_" in old else str(value)
    changed = before.decode() + new + after.decode()
    lines[literal.line - 1] = changed
    proven = literals_in(literal.cell, "\n".join(lines))
    place = (literal.name, value, literal.line, literal.column)
    if place not in [(each.name, each.value, each.line, each.column) for each in proven]:
        return None
    return line, changed


def defaults(
    function: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.AST | None
) -> Iterator[tuple[Parameter, ast.expr]]:
    """Yield the parameters that have a default; `owner` is the class or function around it."""
    is_method = isinstance(owner, ast.ClassDef)
    makes = isinstance(owner, ast.ClassDef) and function.name == "__init__"
    callee = owner.name if makes and isinstance(owner, ast.ClassDef) else function.name
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    for index, default in enumerate(arguments.defaults, start=first):
        yield Parameter(callee, positional[index].arg, index - is_method), default
    for argument, given in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if given is not None:
            yield Parameter(callee, argument.arg, None), given


def callee(call: ast.Call) -> str | None:
    """Return the last name of what is called: `fit` for `trainer.fit()`."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)


def literals_of(cell: CellRun, tree: ast.Module) -> list[BatchLiteral]:
    """Return the batch literals of a cell that is parsed already, in the order of the code."""
    found = [
        literal
        for node, owner in _nodes(tree)
        for given in _given(node, owner)
        if _NAME.fullmatch(given.name) and (literal := _literal(cell, given)) is not None
    ]
    return sorted(found, key=lambda each: (each.line, each.column))


def _nodes(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Yield the nodes with the function or class they stand in.

    Without what stands inside f-strings: before Python 3.12 the place of that is wrong.
    """
    waiting: list[tuple[ast.AST, ast.AST | None]] = [(tree, None)]
    while waiting:
        node, owner = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            continue
        yield node, owner
        inside = node if isinstance(node, (*Function, ast.ClassDef)) else owner
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]


def _given(node: ast.AST, owner: ast.AST | None) -> Iterator[_Given]:
    """Yield what a node gives a name: assignments, arguments, defaults, entries of a dict."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _assigned(target, node.value, owner)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield from _assigned(node.target, node.value, owner)
    elif isinstance(node, ast.Call):
        yield from _arguments(node)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield _Given(key.value, value)
    elif isinstance(node, Function):
        for parameter, default in defaults(node, owner):
            yield _Given(parameter.name, default, parameter=parameter)


def _assigned(target: ast.expr, value: ast.expr, owner: ast.AST | None) -> Iterator[_Given]:
    if isinstance(target, ast.Name):
        yield _Given(target.id, value, variable=owner is None)
    elif isinstance(target, ast.Attribute):
        yield _Given(target.attr, value)
    elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        if isinstance(target.slice.value, str):
            yield _Given(target.slice.value, value)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for each, given in zip(target.elts, value.elts, strict=False):
            yield from _assigned(each, given, owner)


def _arguments(call: ast.Call) -> Iterator[_Given]:
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield _Given(keyword.arg, keyword.value)
    if callee(call) == "DataLoader" and len(call.args) > 1:
        yield _Given("batch_size", call.args[1])


def _literal(cell: CellRun, given: _Given) -> BatchLiteral | None:
    node = given.value
    value, end = _integer(node), node.end_col_offset
    if value is None or not 1 < value < _LARGEST or node.end_lineno != node.lineno or end is None:
        return None
    place = node.lineno, node.col_offset, end
    return BatchLiteral(cell, given.name, value, *place, given.variable, given.parameter)


def _integer(node: ast.expr, factors: int = _MOST_FACTORS) -> int | None:
    """Return the value of `1024`, `2**10` or `4 * 256`."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if not isinstance(node, ast.BinOp) or factors == 1:
        return None
    left, right = _integer(node.left, factors - 1), _integer(node.right, factors - 1)
    if left is None or right is None or not 0 <= right <= _LARGEST or abs(left) > _LARGEST:
        return None
    if isinstance(node.op, ast.Mult):
        return left * right
    small = isinstance(node.op, ast.Pow) and right <= _LARGEST_EXPONENT
    return int(left**right) if small else None


def _value_of(text: str) -> int | None:
    tree = parse_cell(text.strip())
    only = tree.body[0] if tree and len(tree.body) == 1 else None
    return _integer(only.value) if isinstance(only, ast.Expr) else None
