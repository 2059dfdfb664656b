"""Where the code says how large a batch is: a literal, found with `ast`, whose value is proven.

A literal counts only if nothing contradicts it: a variable must still have that value, no
call may pass another than a default, and tensors of that many rows must take memory.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from .calls import Function, Parameter, callee, defaults, is_overridden
from .parsing import LONGEST, parse_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .runs import CellRun

_NAME = re.compile(r"(?:.*_)?(?:batch_?size|bs|batch|bsz)", re.IGNORECASE)
_OTHER_PHASE = re.compile(r"val|test|eval|valid", re.IGNORECASE)
_LARGEST = 2**40
_LARGEST_EXPONENT = 40
_MOST_FACTORS = 20
_MOST_LITERALS = 100  # of a cell, and of all others


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


@dataclass(slots=True)
class _Said:
    """What one cell says; its `literals` are of whatever cell they were first looked for in."""

    tree: ast.Module | None
    reads: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    calls: dict[str | None, list[ast.Call]] = field(default_factory=dict)
    literals: list[BatchLiteral] | None = None


class Code:
    """The cells that a question is about: each is looked through once, and no more than fits.

    In all no more is parsed than of one cell; what is left out says nothing.
    """

    def __init__(self) -> None:
        self._said: dict[str, _Said] = {}
        self._left = LONGEST

    def of(self, source: str) -> _Said:
        """Return what a cell with this source says."""
        found = self._said.get(source)
        if found is None:
            fits = len(source) <= self._left
            self._left -= len(source) if fits else 0
            found = self._said[source] = _look_through(parse_cell(source) if fits else None)
        return found

    def literals(self, cell: CellRun) -> list[BatchLiteral]:
        """Return the batch literals of a cell."""
        said = self.of(cell.source)
        if said.literals is None:
            said.literals = [] if said.tree is None else _literals(cell, said.tree)
        return [replace(each, cell=cell) for each in said.literals]


def _look_through(tree: ast.Module | None) -> _Said:
    """Note the names a cell reads and leaves behind, its functions and classes included."""
    said = _Said(tree)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, (*Function, ast.ClassDef)):
            said.stores.add(node.name)
        elif isinstance(node, ast.Call):
            said.calls.setdefault(callee(node), []).append(node)
        elif isinstance(node, ast.Name):
            said.reads.add(node.id)
            if isinstance(node.ctx, ast.Store):
                said.stores.add(node.id)
    return said


def batch_literals(
    cell: CellRun,
    cells: Sequence[CellRun],
    values: Mapping[str, Any],
    *,
    line: int | None = None,
    code: Code | None = None,
) -> list[BatchLiteral]:
    """Return the literals that may set the batch of a failing cell, likeliest first.

    Its own come first, those before the failing `line` and those that name no evaluation
    before others; then those of earlier cells that it reads from, newest first. `values` are
    the user's variables as they are now.
    """
    code = code or Code()
    counts = functools.partial(_counts, cell=cell, cells=cells, values=values, code=code)
    own = sorted(
        code.literals(cell),
        key=lambda each: (
            bool(_OTHER_PHASE.search(each.name)),
            line is not None and each.line > line,
            -each.line,
        ),
    )
    earlier = (
        each
        for other in reversed(cells)
        if not _same_cell(other, cell)
        for each in reversed(code.literals(other))
        if not _OTHER_PHASE.search(each.name)
    )
    return [
        *filter(counts, own[:_MOST_LITERALS]),
        *(
            each
            for each in islice(earlier, _MOST_LITERALS)
            if counts(each) and cells_to_run(each, cell, cells, code)
        ),
    ]


def literals_in(cell: CellRun, source: str) -> list[BatchLiteral]:
    """Return the batch literals of a cell as its `source` is now; none where it does not parse."""
    tree = parse_cell(source)
    return [] if tree is None else _literals(cell, tree)


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


def defines_any(cell: CellRun, names: Iterable[str]) -> bool:
    """Whether a cell gives a value to one of these names."""
    return not Code().of(cell.source).stores.isdisjoint(names)


def cells_to_run(
    literal: BatchLiteral, failed: CellRun, cells: Sequence[CellRun], code: Code | None = None
) -> tuple[CellRun, ...] | None:
    """Return the cells that carry a changed literal to the failing one, both included.

    A cell between them belongs to these when it reads what the literal sets, directly or
    through others, and leaves a name that is read further on. `None`: nothing leads there.
    """
    if _same_cell(literal.cell, failed):
        return (failed,)
    code = code or Code()
    ran = [each for each in cells if not _same_cell(each, failed)]
    start = next((n for n, each in enumerate(ran) if _same_cell(each, literal.cell)), None)
    if start is None:
        return None
    touched = _touched(ran[start], ran[start + 1 :], code)
    needed, path = set(code.of(failed.source).reads), [failed]
    for cell in reversed(touched):
        if code.of(cell.source).stores & needed:
            path.insert(0, cell)
            needed |= code.of(cell.source).reads
    return tuple(path) if path[0] is touched[0] else None


def _touched(first: CellRun, later: Sequence[CellRun], code: Code) -> list[CellRun]:
    names, found = set(code.of(first.source).stores), [first]
    for cell in later:
        if code.of(cell.source).reads & names:
            found.append(cell)
            names |= code.of(cell.source).stores
    return found


def _same_cell(one: CellRun, other: CellRun) -> bool:
    if one.cell_id is None or other.cell_id is None:
        return one.execution_count == other.execution_count
    return one.cell_id == other.cell_id


def _counts(
    literal: BatchLiteral,
    *,
    cell: CellRun,
    cells: Sequence[CellRun],
    values: Mapping[str, Any],
    code: Code,
) -> bool:
    """Whether nothing speaks against it: a variable set elsewhere, a default that is not used."""
    if literal.variable:
        value = values.get(literal.name)
        return type(value) is not int or value == literal.value
    if literal.parameter is None:
        return True
    others = (code.of(each.source).calls for each in cells)
    return not is_overridden(literal.parameter, code.of(cell.source).calls, others)


def _literals(cell: CellRun, tree: ast.Module) -> list[BatchLiteral]:
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
