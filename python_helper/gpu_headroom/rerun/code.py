"""Effects of running cells again, by their code: on names, and on what was trained.

In doubt a name counts as read before it is assigned, and a cell as training.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ..code.calls import calls_from, functions_of, together
from ..code.find import dotted, names, root_name, words
from ..code.loops import reads_of, stores_of
from ..code.order import order_of
from ..code.parsing import magics, parse_cell, words_in
from ..code.reading import children, walk
from ..code.scopes import Definition, For
from ..code.training import trains

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_ANYTHING = words("exec eval globals locals vars get_ipython run_cell")
_OVERWRITES = words("load_state_dict load_weights apply reset_parameters")
_NO_TRAINING = re.compile(r"split|load|data|transform|config|path|dir", re.IGNORECASE)


def set_first(run: Sequence[str], cells: Iterable[str]) -> list[set[str]]:
    """Return for each cell that is to `run` the names that it is the first to set.

    Only those that nothing in the whole run reads before: neither a cell nor a function of one of
    the `cells` of the notebook that may be called by then. All are sources.
    """
    reading = _RunReading([*cells, *run])
    new_names: list[set[str]] = []
    for source in run:
        before = set(reading.made)
        reading.cell(source)
        new_names.append(reading.made - before)
    return [cell_names - reading.early for cell_names in new_names]


def makes_anew(source: str, path: str, cells: Iterable[str]) -> bool:
    """Return whether a cell gives `model` or `run.model` another value, or other weights."""
    tree = parse_cell(source)
    if tree is None:
        return True
    root = re.split(r"[.\[]", path, maxsplit=1)[0]
    if root in stores_of(tree.body) or any(
        isinstance(node, (ast.Attribute, ast.Subscript))
        and isinstance(node.ctx, ast.Store)
        and f"{path}.".startswith(f"{dotted(node) or ' '}.")
        for node in walk(tree)
    ):
        return True
    functions = functions_of(together([*cells, source]))
    return any(
        (name.rpartition(".")[2] in _OVERWRITES and root in names(call.func))
        or any(
            isinstance(node, ast.Global) and root in node.names
            for function in functions.get(name.rpartition(".")[2], ())
            for node in walk(function)
        )
        for name, call in calls_from([tree], functions)
    )


class _RunReading:
    """A run of cells: what is certainly `made` so far, and what may have been read `early`."""

    def __init__(self, cells: Iterable[str]) -> None:
        self.made: set[str] = set()
        self.early: set[str] = set()
        self._own: set[str] = set()
        self._functions: set[str] = set()
        self._read_inside: set[str] = set()
        self._is_lost = False
        self._gone_through: set[ast.AST] = set()
        for tree in filter(None, map(parse_cell, dict.fromkeys(cells))):
            self._learn(tree)

    def _learn(self, tree: ast.Module) -> None:
        """Note the names of a cell, and what its functions read whenever they are called."""
        for node in walk(tree):
            if isinstance(node, Definition):
                self._functions.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._own.add(node.id)
            if isinstance(node, (*Definition, ast.Lambda)):
                self._read_inside |= _reads(node)
            elif isinstance(node, ast.Global):
                self._read_inside.update(node.names)
        self._own |= self._functions

    def cell(self, source: str) -> None:
        """Go through a cell; what cannot be read may read all that is not set by then."""
        for magic in magics(source):
            self.early |= words_in(magic) - self.made
        tree = parse_cell(source)
        for statement in tree.body if tree is not None else ():
            if not self._is_lost:
                self._statement(statement)
        self._is_lost |= tree is None

    def _statement(self, statement: ast.stmt) -> None:
        self._gone_through = {node.iter for node in walk(statement) if isinstance(node, For)}
        self._gone_through |= {node for node in walk(statement) if isinstance(node, ast.withitem)}
        order = order_of([statement], self._read, lambda node: stores_of([node]))
        self.early |= order.early - self.made
        # Behind what may read anything nothing is known any more.
        self._is_lost = not _ANYTHING.isdisjoint(_reads(statement))
        if not (self._is_lost and hasattr(statement, "body")):
            self.made |= order.set
        self.made -= names(statement, ast.Del)

    def _read(self, node: ast.AST) -> set[str]:
        """Return what a piece of code reads, and what functions do that it may call."""
        read = _reads(node)
        if (node in self._gone_through and read & self._own) or self._may_call(node):
            read |= self._read_inside
        return read

    def _may_call(self, node: ast.AST) -> bool:
        """Return whether code of the notebook may run: it is called, or handed on."""
        return any(
            isinstance(child, ast.Call)
            and (root_name(child) in self._own or not self._functions.isdisjoint(names(child)))
            for child in walk(node)
        )


def _reads(node: ast.AST) -> set[str]:
    try:
        return reads_of([node])
    except RecursionError:  # an expression of thousands of steps
        return names(node)


def trains_again(source: str, cells: Iterable[str]) -> bool:
    """Return whether a cell trains as it runs, also by functions of these cells that it calls."""
    tree = parse_cell(source)
    return tree is None or _trains([tree], functions_of(together([*cells, source])))


def trained_before(source: str, line: int, cells: Iterable[str]) -> bool:
    """Return whether what runs before a line of a cell, or of a function in it, trains."""
    tree = parse_cell(source)
    before: list[ast.stmt] = []
    node: ast.AST | None = tree
    while node is not None:
        inner = [child for child in children(node) if isinstance(child, ast.stmt)]
        before = [] if isinstance(node, Definition) else before
        before += [statement for statement in inner if (statement.end_lineno or line) < line]
        node = next((e for e in inner if e.lineno <= line <= (e.end_lineno or 0)), None)
    return tree is None or _trains(
        [statement for statement in before if not isinstance(statement, Definition)],
        functions_of(together([*cells, source])),
    )


def _trains(code: Iterable[ast.AST], functions: Mapping[str, list[ast.AST]]) -> bool:
    return any(trains(call) and not _is_other(name) for name, call in calls_from(code, functions))


def _is_other(name: str) -> bool:
    """Return whether a name only sounds like training: `train_test_split`, a class."""
    last = name.rpartition(".")[2]
    return _NO_TRAINING.search(last) is not None or last[:1].isupper()
