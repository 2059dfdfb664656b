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

from ..cells.values import value_at
from .find import called, dotted
from .given import nodes, signatures_of
from .literals import literals_of
from .parsing import LONGEST, parse_cell
from .scopes import Function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..cells.runs import CellRun
    from .given import Parameter, Placed
    from .literals import SizeLiteral
    from .size_names import Role

    Calls = Mapping[str | None, Sequence[ast.Call]]

OTHER_PHASE = re.compile(r"val|test|eval|valid", re.IGNORECASE)
_ARGV = "sys.argv"
_FLAGS = re.compile(r"(?<!\S)--?[A-Za-z][\w-]{0,99}")
PARSERS = ("parse_args", "parse_known_args", "parse_args_into_dataclasses")
_MOST_LITERALS = 100  # of a cell, and of all others


@dataclass(slots=True)
class _Content:
    """What one cell contains; `placed` are its nodes with what they stand in.

    `reads` are all names in it, `runs` those that it reads itself as it runs, outside of the bodies
    of functions. `stores` are the names it leaves behind, `affects` those it calls a method of for
    its effect. `within` is what each function and class reads when it is used, `lines` where it is.
    """

    placed: list[Placed] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    affects: set[str] = field(default_factory=set)
    within: dict[str, set[str]] = field(default_factory=dict)
    lines: dict[str, range] = field(default_factory=dict)
    calls: dict[str | None, list[ast.Call]] = field(default_factory=dict)


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
            content = _Content() if tree is None else _look_through(tree)
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
    """Note the names a cell reads and leaves behind, its functions and classes included."""
    content = _Content([*nodes(tree)])
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            content.calls.setdefault(called(node), []).append(node)
            content.reads |= {_ARGV} if _parses_argv(node) else set()
        elif isinstance(node, ast.Name):
            content.reads.add(node.id)
        elif isinstance(node, ast.Global):
            content.stores.update(node.names)
        elif isinstance(node, ast.alias):
            imported.add(node.asname or node.name)
    for node in _run_by_itself(tree):
        _enter(content, node)
    content.affects -= imported
    return content


def _enter(content: _Content, node: ast.AST) -> None:
    if isinstance(node, (*Function, ast.ClassDef)):
        content.within.setdefault(node.name, set()).update(names_in(node))
        first = min([node.lineno, *[expression.lineno for expression in node.decorator_list]])
        content.lines[node.name] = range(first, (node.end_lineno or first) + 1)
        content.stores.add(node.name)
    elif isinstance(node, ast.Name):
        (content.runs if isinstance(node.ctx, ast.Load) else content.stores).add(node.id)
    elif _parses_argv(node):
        content.runs.add(_ARGV)
    elif _is_stored(node) and dotted(node) == _ARGV:
        content.stores.add(_ARGV)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        content.affects |= _affected(node.value)
    elif isinstance(node, ast.For) and names_in(node.target) & content.affects:
        content.affects |= names_in(node.iter)


def _affected(call: ast.Call) -> set[str]:
    """Return `model` of `model.layer.register_forward_hook(f)`."""
    owner: ast.expr = call.func
    while isinstance(owner, (ast.Attribute, ast.Subscript, ast.Call)):
        owner = owner.func if isinstance(owner, ast.Call) else owner.value
    return {owner.id} if isinstance(owner, ast.Name) and owner is not call.func else set()


def _run_by_itself(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs as a cell does, the inside before the outside: no bodies of functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            early = [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]
            for expression in filter(None, early):
                yield from (expression, *_run_by_itself(expression))
        elif isinstance(node, ast.ClassDef):
            inner = (child for child in _run_by_itself(node) if not _is_stored(child))
            yield from (
                child for child in inner if not isinstance(child, (*Function, ast.ClassDef))
            )
        else:
            yield from _run_by_itself(node)
        yield node


def _is_stored(node: ast.AST) -> bool:
    stores = (ast.Name, ast.Attribute)
    return isinstance(node, stores) and not isinstance(node.ctx, ast.Load)


def names_in(node: ast.AST) -> set[str]:
    """Return all names in a piece of code, and `sys.argv` where it reads the command line."""
    found = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
    return found | {_ARGV} if any(map(_parses_argv, ast.walk(node))) else found


def _parses_argv(node: ast.AST) -> bool:
    return called(node) in PARSERS and not getattr(node, "args", None)


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
            if counts(literal) and path_from(literal.cell, cell, cells, code, lines=[literal.line])
        ),
    ]


def defines_any(cell: CellRun, names: Iterable[str]) -> bool:
    """Whether a cell gives a value to one of these names."""
    return not Code().of(cell).stores.isdisjoint(names)


def affects(cell: CellRun) -> set[str]:
    """Return the names that a cell calls a method of for its effect: of `model` a hook is added."""
    return Code().of(cell).affects


def reads(cell: CellRun) -> set[str]:
    """Return the names that a cell reads itself as it runs, outside of the bodies of functions."""
    return Code().of(cell).runs


def path_from(
    first: CellRun,
    failed: CellRun,
    cells: Sequence[CellRun],
    code: Code | None = None,
    *,
    lines: Iterable[int] | None = None,
) -> tuple[CellRun, ...] | None:
    """Return the cells that carry a change of the `first` one to the failing one, both included.

    A cell between them belongs to these when it reads what the first one sets as it runs, directly
    or through others, and leaves a name that is read further on. `None`: nothing leads there.
    `lines` are those that change: a function that has none of them is the same as before.
    """
    if first.key == failed.key:
        return (failed,)
    code = code or Code()
    ran = [cell_run for cell_run in cells if cell_run.key != failed.key]
    start = next((n for n, cell_run in enumerate(ran) if cell_run.key == first.key), None)
    if start is None:
        return None
    within: dict[str, set[str]] = {}
    for run in (*ran, failed):
        within |= code.of(run).within
    changed = set(lines) if lines is not None else None
    marks = _marks(code.of(first), changed)
    touched = [(first, marks | code.of(first).affects)]
    names = _users(marks, within)
    for cell in ran[start + 1 :]:
        content = code.of(cell)
        if content.runs & names:
            left = _marks(content, set())
            touched.append((cell, left | content.affects))
            names = _users(names | left, within)
    needed, path = _used(code.of(failed).reads, within), [failed]
    for cell, left in reversed(touched):
        if left & needed:
            path.insert(0, cell)
            needed = _used(needed | code.of(cell).reads, within)
    return tuple(path) if path[0].key == first.key else None


def _marks(content: _Content, lines: set[int] | None) -> set[str]:
    """Return the names that are others once a cell has run again, with these lines changed."""
    same = {
        name for name, each in content.lines.items() if lines is not None and lines.isdisjoint(each)
    }
    return content.stores - same


def _users(names: set[str], within: Mapping[str, set[str]]) -> set[str]:
    """Return these names and all functions and classes that read one of them, or each other."""
    names = set(names)
    while more := {name for name, reads in within.items() if reads & names} - names:
        names |= more
    return names


def _used(names: set[str], within: Mapping[str, set[str]]) -> set[str]:
    """Return these names and all that the functions and classes among them read."""
    names = set(names)
    while more := {each for name in names & within.keys() for each in within[name]} - names:
        names |= more
    return names


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
