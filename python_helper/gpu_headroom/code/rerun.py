"""What running cells again does to names: which they give a value before anything reads them.

Read off the code alone, and in doubt a name counts as read.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .find import base_of, dotted, names, root_of, words
from .flow import goes_back, trains
from .liveness import LOOPS, Liveness, certainly_bound
from .loops import reads_of, stores_of
from .parsing import magics, parse_cell, words_in
from .scopes import Function
from .side_effects import calls_from, functions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_ANYTHING = words("exec eval globals locals vars get_ipython run_cell")
_NO_TRAINING = re.compile(r"split|load|data|transform|config|path|dir", re.IGNORECASE)
_OVERWRITES = words("load_state_dict load_weights apply reset_parameters")
_DEFINITIONS = (*Function, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor)


def set_first(run: Sequence[str], cells: Iterable[str]) -> list[set[str]]:
    """Return for each cell that is to `run` the names that it is the first to set.

    Only those that nothing in the whole run reads before: neither a cell nor a function of one of
    the `cells` of the notebook that may be called by then. All are sources.
    """
    reading = _RunReading([*cells, *run])
    found: list[set[str]] = []
    for source in run:
        before = set(reading.made)
        reading.cell(source)
        found.append(reading.made - before)
    return [each - reading.early for each in found]


def makes_anew(source: str, path: str, cells: Iterable[str]) -> bool:
    """Whether a cell gives `model` or `run.model` another value, or other weights, as it runs."""
    tree = parse_cell(source)
    if tree is None:
        return True
    root = root_of(path)
    if root in stores_of(tree.body) or any(
        isinstance(node, (ast.Attribute, ast.Subscript))
        and isinstance(node.ctx, ast.Store)
        and f"{path}.".startswith(f"{dotted(node) or ' '}.")
        for node in ast.walk(tree)
    ):
        return True
    functions = functions_of([*cells, source])
    return any(
        (name.rpartition(".")[2] in _OVERWRITES and root in names(call.func))
        or any(
            isinstance(node, ast.Global) and root in node.names
            for function in functions.get(name.rpartition(".")[2], ())
            for node in ast.walk(function)
        )
        for name, call in calls_from([tree], functions)
    )


def trains_again(source: str, cells: Iterable[str]) -> bool:
    """Whether a cell trains as it runs, itself or in functions of these cells that it calls."""
    tree = parse_cell(source)
    return tree is None or _trains([tree], functions_of([*cells, source]))


def trained_before(source: str, line: int, cells: Iterable[str]) -> bool:
    """Whether what runs before a line of a cell, or of a function in it, trains."""
    tree = parse_cell(source)
    before: list[ast.stmt] = []
    node: ast.AST | None = tree
    while node is not None:
        inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
        before = [] if isinstance(node, _DEFINITIONS) else before
        before += [statement for statement in inner if (statement.end_lineno or line) < line]
        node = next((e for e in inner if e.lineno <= line <= (e.end_lineno or 0)), None)
    return tree is None or _trains(
        [statement for statement in before if not isinstance(statement, _DEFINITIONS)],
        functions_of([*cells, source]),
    )


def _trains(code: Sequence[ast.AST], functions: dict[str, list[ast.AST]]) -> bool:
    return training_in(code, functions, counts_backward=True) is not None


def training_in(
    code: Iterable[ast.AST],
    functions: Mapping[str, list[ast.AST]],
    *,
    counts_backward: bool = False,
) -> ast.Call | None:
    """Return the call that trains as code runs, or as one of these functions does.

    A backward pass alone changes no weights.
    """
    for name, call in calls_from(code, functions):
        if trains(call) and not _is_other(name) and (counts_backward or not goes_back(call)):
            return call
    return None


def _is_other(name: str) -> bool:
    """Whether its name only sounds like training: `train_test_split`, a class that is made."""
    last = name.rpartition(".")[2]
    return _NO_TRAINING.search(last) is not None or last[:1].isupper()


class _RunReading:
    """A run of cells: what is set for certain, and what was read before.

    `made` has what was set so far, `early` what may have been read before that.
    """

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
        for node in ast.walk(tree):
            if isinstance(node, _DEFINITIONS):
                self._functions.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._own.add(node.id)
            if isinstance(node, (*_DEFINITIONS, ast.Lambda)):
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

    def _statement(self, each: ast.stmt) -> None:
        """Enter what a statement reads, and what it sets; what a loop sets counts as set."""
        self._gone_through = {node.iter for node in ast.walk(each) if isinstance(node, _LOOPS)}
        self._gone_through |= {node for node in ast.walk(each) if isinstance(node, ast.withitem)}
        self.early |= Liveness([each], self._read, _sets, rounds=_LOOPS).before - self.made
        # Behind what may read anything nothing is known any more.
        self._is_lost = not _ANYTHING.isdisjoint(_reads(each))
        if not (self._is_lost and hasattr(each, "body")):
            self.made |= certainly_bound([each], _sets, LOOPS)
        self.made -= {name for node in ast.walk(each) for name in _deleted(node)}

    def _read(self, node: ast.AST) -> set[str]:
        """Return what a piece of code reads, and what functions do that it may call."""
        read = _reads(node)
        if (node in self._gone_through and read & self._own) or self._may_call(node):
            read |= self._read_inside
        return read

    def _may_call(self, node: ast.AST) -> bool:
        """Whether code of the notebook may run: it is called, or handed on."""
        return any(
            isinstance(child, ast.Call)
            and (_root(child) in self._own or not self._functions.isdisjoint(names(child)))
            for child in ast.walk(node)
        )


def _reads(node: ast.AST) -> set[str]:
    try:
        return reads_of([node])
    except RecursionError:  # an expression of thousands of steps
        return names(node)


def _sets(node: ast.AST) -> set[str]:
    return stores_of([node])


def _deleted(node: ast.AST) -> list[str]:
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del) else []


def _root(node: ast.expr) -> str:
    """Return `copy` of `copy.deepcopy(model).eval()`."""
    base = base_of(node, ast.Call, ast.Attribute, ast.Subscript)
    return base.id if isinstance(base, ast.Name) else ""
