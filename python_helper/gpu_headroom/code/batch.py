"""Which literals set the size of a failing cell's data.

A literal counts only if nothing contradicts it: a variable, an entry or an attribute must still
have that value, no call may pass another than a default, and tensors of that many rows must take
memory.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..cells.values import value_at
from .find import assigned, called, dotted
from .given import nodes, signatures_of
from .literals import literals_of
from .parsing import LONGEST, parse_cell
from .scopes import Function

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..cells.runs import CellRun
    from .given import Parameter, Placed
    from .literals import SizeLiteral
    from .notebook import Notebook
    from .size_names import Role

    Calls = Mapping[str | None, Sequence[ast.Call]]

OTHER_PHASE = re.compile(r"val|test|eval|valid", re.IGNORECASE)
_OF_OTHERS = re.compile(
    r"(?:^|_|(?<=[a-z]))(?:val|valid|validation|test|eval|infer|tgt|target|label|summary|answer)"
    r"(?:s?_|s?$|[A-Z])|decoder",
    re.IGNORECASE,
)
_FLAGS = re.compile(r"(?<!\S)--?[A-Za-z][\w-]{0,99}")
PARSERS = ("parse_args", "parse_known_args", "parse_args_into_dataclasses")
ARGV = "sys.argv"
_MOST_LITERALS = 100  # of a cell, and of all others


class _Content(NamedTuple):
    """What one cell contains: its nodes with what they stand in, and its calls by name.

    `reads` are all names in it, `stores` those that it leaves behind; of each function and class
    that it defines `lines` are where, and `within` the names in it.
    """

    placed: list[Placed]
    calls: dict[str | None, list[ast.Call]]
    reads: set[str]
    stores: set[str]
    lines: dict[str, range]
    within: dict[str, set[str]]

    def left_by(self, line: int) -> set[str]:
        """Return the names that may be others where a line of it changes."""
        same = {name for name, lines in self.lines.items() if line not in lines}
        found = self.stores - same
        # What a function reads when it is called may be another by then.
        return found | {name for name in same if self.within[name] & found}


class Code:
    """The cells that a question is about: each is looked through once, and no more than fits.

    In all no more is parsed than of one cell; what is left out says nothing.
    """

    def __init__(self, first: Iterable[CellRun] = ()) -> None:
        self._contents: dict[str, _Content] = {}
        self._literals: dict[str, list[SizeLiteral]] = {}
        self._signatures: dict[str, dict[int, str]] = {}
        self._left = LONGEST
        for run in first:
            self.of(run)

    def of(self, cell: CellRun) -> _Content:
        """Return what the code of a cell contains."""
        content = self._contents.get(cell.source)
        if content is None:
            fits = len(cell.source) <= self._left
            self._left -= len(cell.source) if fits else 0
            tree = parse_cell(cell.source) if fits else None
            content = _look_through(tree or ast.Module([], []))
            self._contents[cell.source] = content
            if found := signatures_of(content.placed):
                self._signatures.update(found)
                self._literals.clear()
        return content

    def literals(self, cell: CellRun, role: Role = "batch") -> list[SizeLiteral]:
        """Return the literals of a role in a cell; functions of cells seen before are known."""
        placed = self.of(cell).placed
        literals = self._literals.get(cell.source)
        if literals is None:
            literals = literals_of(cell, cell.source, placed, self._signatures)
            self._literals[cell.source] = literals
        return [replace(literal, cell=cell) for literal in literals if literal.role == role]

    def given(self, line: str) -> set[str]:
        """Return the names of the options that a command line gives to a script seen before."""
        return {
            self._signatures.get(each, {}).get(0, each.lstrip("-").replace("-", "_"))
            for each in _FLAGS.findall(line)
        }


def _look_through(tree: ast.Module) -> _Content:
    content = _Content([*nodes(tree)], {}, set(), set(), {}, {})
    for node, owner in content.placed:
        if isinstance(node, ast.Call):
            content.calls.setdefault(called(node), []).append(node)
            content.reads.update([ARGV] if parses_argv(node) else [])
        elif isinstance(node, ast.Name):
            content.reads.add(node.id)
            if owner is None and not isinstance(node.ctx, ast.Load):
                content.stores.add(node.id)
        elif isinstance(node, ast.Global):
            content.stores.update(node.names)
        elif isinstance(node, (*Function, ast.ClassDef)) and owner is None:
            first = min([node.lineno, *[each.lineno for each in node.decorator_list]])
            content.lines[node.name] = range(first, (node.end_lineno or first) + 1)
            content.within[node.name] = names_in(node)
            content.stores.add(node.name)
        elif isinstance(node, ast.Attribute) and is_argv(node):
            content.stores.add(ARGV)
    return content


def parses_argv(node: ast.AST) -> bool:
    """Return whether a call reads the command line."""
    return called(node) in PARSERS and not getattr(node, "args", None)


def is_argv(node: ast.AST) -> bool:
    """Return whether the command line is set there."""
    return not isinstance(getattr(node, "ctx", None), ast.Load) and dotted(node) == ARGV


def names_in(node: ast.AST) -> set[str]:
    """Return all names in a piece of code."""
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


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
    for other in (cell, *reversed(cells)):
        code.of(other)  # so functions of all are known

    def counts(literal: SizeLiteral) -> bool:
        """Whether nothing speaks against it: a variable set elsewhere, a default not used."""
        value = value_at(values, literal.path)
        if type(value) is int and value != literal.value:
            return False
        if literal.parameter is None or literal.kind in ("argument", "text"):
            return True
        if literal.kind == "option":
            texts = (said for other in cells for said in code.literals(other, role))
            return not any(said.kind == "text" and said.name == literal.name for said in texts)
        others = (code.of(other).calls for other in cells)
        return not _is_overridden(literal.parameter, code.of(cell).calls, others)

    own = sorted(
        code.literals(cell, role),
        key=lambda literal: (
            bool(OTHER_PHASE.search(literal.name)),
            line is not None and literal.line > line,
            -literal.line,
        ),
    )
    earlier = (
        literal
        for other in reversed(cells)
        if other.key != cell.key
        for literal in reversed(code.literals(other, role))
        if not OTHER_PHASE.search(literal.name)
    )
    return [
        *filter(counts, own[:_MOST_LITERALS]),
        *(
            literal
            for literal in islice(earlier, _MOST_LITERALS)
            if counts(literal) and _leads_on(literal, cell, cells, code)
        ),
    ]


def _leads_on(literal: SizeLiteral, failed: CellRun, cells: Sequence[CellRun], code: Code) -> bool:
    """Return whether names carry what a literal sets to the failing cell."""
    keys = [cell_run.key for cell_run in cells]
    if literal.cell.key not in keys:
        return False
    found = code.of(literal.cell).left_by(literal.line)
    for cell in cells[keys.index(literal.cell.key) + 1 :]:
        content = code.of(cell)
        if cell.key != failed.key and content.reads & found:
            found |= content.stores
    return bool(found & code.of(failed).reads)


def is_of_others(notebook: Notebook, literal: SizeLiteral) -> bool:
    """Return whether names say that a size is one of a test, a validation, or targets."""
    cell = notebook.cell(literal.cell.key)
    named = [literal.name]
    for node in cell.nodes if cell is not None else ():
        at = (getattr(node, "lineno", 0), getattr(node, "col_offset", -1))
        if cell is not None and at == (literal.line, literal.column):
            for child in (node, *cell.parents(node)):
                if isinstance(child, ast.Dict):
                    inside = set(map(id, cell.parents(node))) | {id(node)}
                    pairs = zip(child.keys, child.values, strict=True)
                    named += [str(getattr(k, "value", "")) for k, v in pairs if id(v) in inside]
                named += [assigned(child), getattr(child, "name", None) or ""]
    return any(_OF_OTHERS.search(each) for each in named)


def _is_overridden(parameter: Parameter, failing: Calls, others: Iterable[Calls]) -> bool:
    """Whether a call may pass a value of its own: in the failing cell, else in any other."""
    for cells in ([failing], others):
        calls = [call for cell in cells for call in cell.get(parameter.callee, ())]
        if calls:
            return any(_passes(call, parameter) for call in calls)
    return False


def _passes(call: ast.Call, parameter: Parameter) -> bool:
    if any(keyword.arg in (None, parameter.name) for keyword in call.keywords):
        return True
    if any(isinstance(expression, ast.Starred) for expression in call.args):
        return True
    return parameter.position is not None and len(call.args) > parameter.position
