"""Where the code says how large a batch is: a literal, found with `ast`, whose value is proven.

A literal counts only if nothing contradicts it: a variable must still have that value, no
call may pass another than a default, and tensors of that many rows must take memory.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..parse import parse_cell
from .calls import Function, Parameter, callee, defaults, is_overridden

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..cells import CellRun
    from ..holders.modules import Model

_NAME = re.compile(r"(?:.*_)?(?:batch_?size|bs|batch|bsz)", re.IGNORECASE)
_OTHER_PHASE = re.compile(r"val|test|eval|valid", re.IGNORECASE)
_LARGEST = 2**40
_LARGEST_EXPONENT = 40


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


def batch_literals(
    cell: CellRun, cells: Sequence[CellRun], values: Mapping[str, Any], *, line: int | None = None
) -> list[BatchLiteral]:
    """Return the literals that may set the batch of a failing cell, likeliest first.

    Its own come first, those before the failing `line` and those that name no evaluation
    before others; then those of earlier cells that it reads from, newest first. `values` are
    the user's variables as they are now.
    """
    counts = functools.partial(_counts, cell=cell, cells=cells, values=values)
    own = [each for each in literals_in(cell, cell.source) if counts(each)]
    own.sort(
        key=lambda each: (
            bool(_OTHER_PHASE.search(each.name)),
            line is not None and each.line > line,
            -each.line,
        )
    )
    earlier = [
        each
        for other in reversed(cells)
        if not _same_cell(other, cell)
        for each in reversed(literals_in(other, other.source))
        if counts(each) and not _OTHER_PHASE.search(each.name)
    ]
    return [*own, *(each for each in earlier if cells_to_run(each, cell, cells))]


def literals_in(cell: CellRun, source: str) -> list[BatchLiteral]:
    """Return the batch literals of a cell as its `source` is now; none where it does not parse."""
    tree = parse_cell(source)
    return [] if tree is None else list(_literals(cell, tree))


def replaced(source: str, literal: BatchLiteral, value: int) -> tuple[str, str] | None:
    """Return the literal's line before and after it is set to `value`.

    `None` unless the literal stands there, and the changed cell parses and says `value`.
    """
    lines = source.split("\n")
    if literal.line > len(lines):
        return None
    line = lines[literal.line - 1]
    raw = line.encode()
    before, old, after = (
        raw[: literal.column],
        raw[literal.column : literal.end_column].decode(errors="replace"),
        raw[literal.end_column :],
    )
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


def defines_any(cell: CellRun, models: Sequence[Model]) -> bool:
    """Whether a cell makes one of these models."""
    return bool(_stores(cell) & {each.name for each in models})


def cells_to_run(
    literal: BatchLiteral, failed: CellRun, cells: Sequence[CellRun]
) -> tuple[CellRun, ...] | None:
    """Return the cells that carry a changed literal to the failing one, both included.

    A cell between them belongs to these when it reads what the literal sets, directly or
    through others, and leaves a name that is read further on. `None`: nothing leads there.
    """
    if _same_cell(literal.cell, failed):
        return (failed,)
    ran = [each for each in cells if not _same_cell(each, failed)]
    start = next((n for n, each in enumerate(ran) if _same_cell(each, literal.cell)), None)
    if start is None:
        return None
    touched = _touched(ran[start], ran[start + 1 :])
    needed, path = _reads(failed), [failed]
    for cell in reversed(touched):
        if _stores(cell) & needed:
            path.insert(0, cell)
            needed |= _reads(cell)
    return tuple(path) if path[0] is touched[0] else None


def _touched(first: CellRun, later: Sequence[CellRun]) -> list[CellRun]:
    names, found = _stores(first), [first]
    for cell in later:
        if _reads(cell) & names:
            found.append(cell)
            names |= _stores(cell)
    return found


def _same_cell(one: CellRun, other: CellRun) -> bool:
    if one.cell_id is None or other.cell_id is None:
        return one.execution_count == other.execution_count
    return one.cell_id == other.cell_id


def _counts(
    literal: BatchLiteral, *, cell: CellRun, cells: Sequence[CellRun], values: Mapping[str, Any]
) -> bool:
    """Whether nothing speaks against it: a variable set elsewhere, a default that is not used."""
    if literal.variable:
        value = values.get(literal.name)
        return type(value) is not int or value == literal.value
    if literal.parameter is None:
        return True
    others = [tree for each in cells if (tree := parse_cell(each.source)) is not None]
    return not is_overridden(literal.parameter, parse_cell(cell.source), others)


def _literals(cell: CellRun, tree: ast.Module) -> Iterator[BatchLiteral]:
    found = [
        literal
        for node, owner in _nodes(tree)
        for given in _given(node, owner)
        if _NAME.fullmatch(given.name) and (literal := _literal(cell, given)) is not None
    ]
    yield from sorted(found, key=lambda each: (each.line, each.column))


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
        yield _Given(str(target.slice.value), value)
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
    return BatchLiteral(
        cell,
        given.name,
        value,
        node.lineno,
        node.col_offset,
        end,
        variable=given.variable,
        parameter=given.parameter,
    )


def _integer(node: ast.expr) -> int | None:
    """Return the value of `1024`, `2**10` or `4 * 256`."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _integer(node.left), _integer(node.right)
    if left is None or right is None or not 0 <= right <= _LARGEST or abs(left) > _LARGEST:
        return None
    if isinstance(node.op, ast.Mult):
        return left * right
    small = isinstance(node.op, ast.Pow) and right <= _LARGEST_EXPONENT
    return int(left**right) if small else None


def _value_of(text: str) -> int | None:
    try:
        return _integer(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return None


def _reads(cell: CellRun) -> set[str]:
    tree = parse_cell(cell.source)
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} if tree else set()


def _stores(cell: CellRun) -> set[str]:
    """Return the names a cell leaves behind, its functions and classes included."""
    tree = parse_cell(cell.source)
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, definitions):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names
