"""What running cells again does to names: which they give a value before anything reads them.

Read off the code alone, and in doubt a name counts as read.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from .find import called, dotted, names, root_of, words
from .flow import goes_back, trains
from .given import Function
from .loops import reads_of, stores_of
from .parsing import magics, parse_cell, words_in
from .side_effects import calls_from, functions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_ANYTHING = words("exec eval globals locals vars get_ipython run_cell")
_NO_TRAINING = re.compile(r"split|load|data|transform|config|path|dir", re.IGNORECASE)
_OVERWRITES = words("load_state_dict load_weights apply reset_parameters")
_DEFINITIONS = (*Function, ast.ClassDef)


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
        inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
        before = [] if isinstance(node, _DEFINITIONS) else before
        before += [each for each in inner if (each.end_lineno or line) < line]
        node = next((e for e in inner if e.lineno <= line <= (e.end_lineno or 0)), None)
    return tree is None or _trains(
        [each for each in before if not isinstance(each, _DEFINITIONS)],
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
    """A run of cells, statement by statement: what is set for certain, and what was read before.

    `made` has what was set so far, `early` what may have been read before that.
    """

    def __init__(self, cells: Iterable[str]) -> None:
        self.made: set[str] = set()
        self.early: set[str] = set()
        self._own: set[str] = set()
        self._functions: set[str] = set()
        self._read_inside: set[str] = set()
        self._is_lost = False
        self._ways: dict[str, Callable[[Any, set[str]], set[str]]] = {
            "If": self._if,
            "While": self._while,
            "For": self._for,
            "With": self._with,
            "Try": self._try,
            "TryStar": self._try,
        }
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
        for each in magics(source):
            self._read(words_in(each), self.made)
        tree = parse_cell(source)
        if tree is None:
            self._is_lost = True
        elif not self._is_lost:
            self.made = self._block(tree.body, self.made)

    def _read(self, found: set[str], made: set[str]) -> None:
        self.early |= found - made

    def _block(self, block: Sequence[ast.stmt], made: set[str]) -> set[str]:
        """Return what is set after a block, of which `made` is set before it."""
        made = set(made)
        for each in block:
            if self._is_lost:
                break
            made = self._statement(each, made)
        return made

    def _statement(self, each: ast.stmt, made: set[str]) -> set[str]:
        way = self._ways.get(type(each).__name__.removeprefix("Async"))
        if way is not None:
            return way(each, made)
        self._value(each, made)
        if isinstance(each, _DEFINITIONS):
            return made | {each.name}
        for case in getattr(each, "cases", ()):
            self._block(case.body, made)
        gone = {name for node in ast.walk(each) for name in _deleted(node)}
        return made if hasattr(each, "cases") else (made | stores_of([each])) - gone

    def _if(self, each: ast.If, made: set[str]) -> set[str]:
        self._value(each.test, made)
        return self._block(each.body, made) & self._block(each.orelse, made)

    def _while(self, each: ast.While, made: set[str]) -> set[str]:
        self._value(each.test, made)
        after = self._block(each.body, made)
        self._block(each.orelse, made)
        return after if isinstance(each.test, ast.Constant) and each.test.value else made

    def _for(self, each: ast.For | ast.AsyncFor, made: set[str]) -> set[str]:
        """What a loop sets counts as set: one without a round is the exception."""
        self._value(each.iter, made, iterates=True)
        self._value(each.target, made)
        return self._block([*each.body, *each.orelse], made | stores_of([each.target]))

    def _with(self, block: ast.With | ast.AsyncWith, made: set[str]) -> set[str]:
        inner = set(made)
        for item in block.items:
            self._value(item.context_expr, inner, iterates=True)
            inner |= stores_of([item])
        after = self._block(block.body, inner)
        swallows = any(called(item.context_expr) == "suppress" for item in block.items)
        return made if swallows else after

    def _try(self, block: ast.Try, made: set[str]) -> set[str]:
        """What is set whichever way it goes; a handler finds what was set before."""
        ways = [self._block([*block.body, *block.orelse], made)]
        for each in block.handlers:
            if each.type is not None:
                self._value(each.type, made)
            ways.append(self._block(each.body, made | {each.name} if each.name else made))
        return set.intersection(*ways) | self._block(block.finalbody, made)

    def _value(self, node: ast.AST, made: set[str], *, iterates: bool = False) -> None:
        """Enter what a piece of code reads, and what functions do that it may call."""
        read = _reads(node)
        self._read(read, made)
        if (iterates and read & self._own) or self._may_call(node):
            self._read(self._read_inside, made)
        if not _ANYTHING.isdisjoint(read):
            self._is_lost = True

    def _may_call(self, node: ast.AST) -> bool:
        """Whether code of the notebook may run: it is called, or handed on."""
        return any(
            isinstance(each, ast.Call)
            and (_root(each) in self._own or not self._functions.isdisjoint(names(each)))
            for each in ast.walk(node)
        )


def _reads(node: ast.AST) -> set[str]:
    try:
        return reads_of([node])
    except RecursionError:  # an expression of thousands of steps
        return names(node)


def _deleted(node: ast.AST) -> list[str]:
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del) else []


def _root(node: ast.expr) -> str:
    """Return `copy` of `copy.deepcopy(model).eval()`."""
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
