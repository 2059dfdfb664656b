"""Which literals set the size of a failing cell's data, and which cells carry a change there.

A literal counts only if nothing contradicts it: a variable, an entry or an attribute must still
have that value, no call may pass another than a default, and tensors of that many rows must take
memory.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from .given import Function, callee, signatures_of
from .literals import literals_of
from .parsing import LONGEST, parse_cell
from .values import value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .given import Parameter
    from .literals import SizeLiteral
    from .runs import CellRun
    from .size_names import Role

    Calls = Mapping[str | None, Sequence[ast.Call]]

_OTHER_PHASE = re.compile(r"val|test|eval|valid", re.IGNORECASE)
_MOST_LITERALS = 100  # of a cell, and of all others


@dataclass(slots=True)
class _Content:
    """What one cell contains."""

    tree: ast.Module | None = None
    reads: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    calls: dict[str | None, list[ast.Call]] = field(default_factory=dict)


class Code:
    """The cells that a question is about: each is looked through once, and no more than fits.

    In all no more is parsed than of one cell; what is left out says nothing.
    """

    def __init__(self) -> None:
        self._contents: dict[str, _Content] = {}
        self._literals: dict[str, list[SizeLiteral]] = {}
        self._signatures: dict[str, dict[int, str]] = {}
        self._left = LONGEST

    def of(self, cell: CellRun) -> _Content:
        """Return what the code of a cell contains."""
        content = self._contents.get(cell.source)
        if content is None:
            fits = len(cell.source) <= self._left
            self._left -= len(cell.source) if fits else 0
            tree = parse_cell(cell.source) if fits else None
            content = _Content() if tree is None else _look_through(tree)
            self._contents[cell.source] = content
            if tree is not None and (found := signatures_of(tree)):
                self._signatures.update(found)
                self._literals.clear()
        return content

    def literals(self, cell: CellRun, role: Role = "batch") -> list[SizeLiteral]:
        """Return the literals of a role in a cell; functions of cells seen before are known."""
        tree = self.of(cell).tree
        found = self._literals.get(cell.source)
        if found is None:
            found = [] if tree is None else literals_of(cell, cell.source, tree, self._signatures)
            self._literals[cell.source] = found
        return [replace(each, cell=cell) for each in found if each.role == role]


def _look_through(tree: ast.Module) -> _Content:
    """Note the names a cell reads and leaves behind, its functions and classes included."""
    content = _Content(tree)
    for node in ast.walk(tree):
        if isinstance(node, (*Function, ast.ClassDef)):
            content.stores.add(node.name)
        elif isinstance(node, ast.Call):
            content.calls.setdefault(callee(node), []).append(node)
        elif isinstance(node, ast.Name):
            content.reads.add(node.id)
            if isinstance(node.ctx, ast.Store):
                content.stores.add(node.id)
    return content


def size_literals(  # noqa: PLR0913  all that a question is made of
    role: Role,
    cell: CellRun,
    cells: Sequence[CellRun],
    values: Mapping[str, Any],
    *,
    line: int | None = None,
    code: Code | None = None,
) -> list[SizeLiteral]:
    """Return the literals that may set this size in a failing cell, likeliest first.

    Its own come first, those before the failing `line` and those that name no evaluation
    before others; then those of earlier cells that it reads from, newest first. `values` are
    the user's variables as they are now.
    """
    code = code or Code()
    for each in (cell, *reversed(cells)):
        code.of(each)  # so functions of all are known

    def counts(literal: SizeLiteral) -> bool:
        """Whether nothing speaks against it: a variable set elsewhere, a default not used."""
        value = value_at(values, literal.path)
        if type(value) is int and value != literal.value:
            return False
        if literal.parameter is None or literal.kind == "argument":
            return True
        if literal.kind == "option":
            texts = (each for other in cells for each in code.literals(other, role))
            return not any(each.kind == "text" and each.name == literal.name for each in texts)
        others = (code.of(each).calls for each in cells)
        return not _is_overridden(literal.parameter, code.of(cell).calls, others)

    own = sorted(
        code.literals(cell, role),
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
        for each in reversed(code.literals(other, role))
        if not _OTHER_PHASE.search(each.name)
    )
    return [
        *filter(counts, own[:_MOST_LITERALS]),
        *(
            each
            for each in islice(earlier, _MOST_LITERALS)
            if counts(each) and path_from(each.cell, cell, cells, code)
        ),
    ]


def batch_literals(
    cell: CellRun,
    cells: Sequence[CellRun],
    values: Mapping[str, Any],
    *,
    line: int | None = None,
    code: Code | None = None,
) -> list[SizeLiteral]:
    """Return the literals that may set the batch of a failing cell, likeliest first."""
    return size_literals("batch", cell, cells, values, line=line, code=code)


def defines_any(cell: CellRun, names: Iterable[str]) -> bool:
    """Whether a cell gives a value to one of these names."""
    return not Code().of(cell).stores.isdisjoint(names)


def path_from(
    first: CellRun,
    failed: CellRun,
    cells: Sequence[CellRun],
    code: Code | None = None,
    *,
    after: str | None = None,
) -> tuple[CellRun, ...] | None:
    """Return the cells that carry a change of the `first` one to the failing one, as above.

    `after` is its text with the change: then what it makes of it, and what it makes anew, counts.
    """
    if _same_cell(first, failed):
        return (failed,)
    code = code or Code()
    ran = [each for each in cells if not _same_cell(each, failed)]
    start = next((n for n, each in enumerate(ran) if _same_cell(each, first)), None)
    if start is None:
        return None
    names = set(code.of(first).stores) if after is None else renewed(first.source, after)
    touched = _touched(names, ran[start + 1 :], code)
    needed, path = set(code.of(failed).reads), [failed]
    for cell in reversed(touched):
        if code.of(cell).stores & needed:
            path.insert(0, cell)
            needed |= code.of(cell).reads
    return (ran[start], *path) if names & needed else None


def renewed(before: str, after: str) -> set[str]:
    """Return the names that mean something else when a changed cell is run again.

    What the change is about, what is made of that, and what is made at all: functions, classes and
    constants that stay as they are do not count.
    """
    old, new = parse_cell(before), parse_cell(after)
    known = {ast.dump(each) for each in old.body} if old is not None else set()
    made, found = set[str](), set[str]()
    for each in new.body if new is not None else ():
        content = _look_through(ast.Module([each], []))
        stays = isinstance(each, (*Function, ast.ClassDef, ast.Import, ast.ImportFrom)) or (
            isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant)
        )
        made |= set() if stays else content.stores
        if ast.dump(each) not in known or content.reads & found or not stays:
            # A call on its own may change what it is given.
            found |= content.stores | (content.reads & made)
    return found


def _touched(names: Iterable[str], later: Sequence[CellRun], code: Code) -> list[CellRun]:
    names, found = set(names), list["CellRun"]()
    for cell in later:
        if code.of(cell).reads & names:
            found.append(cell)
            names |= code.of(cell).stores
    return found


def _same_cell(one: CellRun, other: CellRun) -> bool:
    if one.cell_id is None or other.cell_id is None:
        return one.execution_count == other.execution_count
    return one.cell_id == other.cell_id


def _is_overridden(parameter: Parameter, failing: Calls, others: Iterable[Calls]) -> bool:
    """Whether a call may pass a value of its own: in the failing cell, else in any other."""
    for cells in ([failing], others):
        calls = [call for each in cells for call in each.get(parameter.callee, ())]
        if calls:
            return any(_passes(call, parameter) for call in calls)
    return False


def _passes(call: ast.Call, parameter: Parameter) -> bool:
    if any(keyword.arg in (None, parameter.name) for keyword in call.keywords):
        return True
    if any(isinstance(each, ast.Starred) for each in call.args):
        return True
    return parameter.position is not None and len(call.args) > parameter.position
