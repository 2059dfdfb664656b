"""`no_grad` around the failing statement of a cell without a backward pass through its values.

The inputs of the statement come from the frames (`oom/inputs.py`). The code of all cells is checked
here for backward passes through the statement's results: any mention of a name counts as a use.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from ..code.find import base_of, called, dotted, names
from ..code.reading import walk
from ..code.scopes import Definition, For, Function
from ..code.training import goes_back, trains
from .keep_numbers import keeps_graphs
from .rewrite import Anchor, Rewrite, rewriting, statement_at
from .source import CellSource, NotApplicableError, Scope

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..code.notebook import CellCode, Notebook

_WITHOUT = ("no_grad", "inference_mode", "set_grad_enabled")
_WAITS = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)
_KEEPS = re.compile(
    r"append|appendleft|extend|add|insert|put|put_nowait|push|update|setdefault|register_\w*hook"
    r"|[a-z]\w*(?<!_)_"
)
_CARRIED = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try)


def without_gradients(anchor: Anchor, torch: str, foreign: Collection[str] = ()) -> Rewrite:
    """`without_gradients(anchor, "torch")`: `with torch.no_grad():` around a statement of a cell.

    Around the loop that it is in where all of that only evaluates. `foreign` are names of the
    notebook that other files have defined: what they do is not known.
    """
    needs = partial(_nothing_goes_back, anchor=anchor, foreign=frozenset(foreign))
    return replace(_wrapped(anchor, torch), needs=needs)


@rewriting
def _wrapped(source: CellSource, anchor: Anchor, torch: str) -> None:
    statement = _place(source, anchor)
    source.wrap(statement, statement, f"with {torch}.no_grad():")


def _place(source: CellSource, anchor: Anchor) -> ast.stmt:
    statement = statement_at(source, anchor)
    around = [statement, *source.parents(statement)]
    if any(isinstance(node, Scope) or _is_without(node) for node in around):
        raise NotApplicableError  # never in a function: who calls it may want gradients
    if isinstance(statement, _CARRIED) or trains(statement):
        raise NotApplicableError
    loops = [node for node in around if isinstance(node, (ast.For, ast.While))]
    place = loops[0] if loops and not trains(loops[0]) else statement
    if any(isinstance(node, _WAITS) for node in walk(place)):
        raise NotApplicableError
    return place


def _is_without(node: ast.AST) -> bool:
    """Return whether a `with` or a decorated function computes without gradients."""
    headers = [item.context_expr for item in getattr(node, "items", [])]
    headers += getattr(node, "decorator_list", [])
    return any(
        called(header) in _WITHOUT or dotted(header).rpartition(".")[2] in _WITHOUT
        for header in headers
    )


def _nothing_goes_back(
    notebook: Notebook, cell: CellCode, *, anchor: Anchor, foreign: frozenset[str]
) -> bool:
    try:
        statement = _place(CellSource(cell.source, cell.tree), anchor)
    except NotApplicableError:
        return False
    if keeps_graphs(notebook, cell, statement):
        return False
    code = _Program(notebook)
    reached = code.reached(_mentioned(statement))
    if not code.is_read or foreign & reached or any(map(code.goes_back, reached)):
        return False
    return not code.back_through(statement, code.stored(statement) | code.kept_by(reached))


class _Program:
    """All code of a notebook, by the names that it assigns; attributes begin with a dot."""

    def __init__(self, notebook: Notebook) -> None:
        self.is_read = all(cell.tree is not None for cell in notebook.cells)
        self._blocks = [cell.tree.body for cell in notebook.cells if cell.tree is not None]
        self._imported = notebook.imported
        self._by_name: dict[str, list[ast.stmt]] = {}
        self._backward: dict[int, bool] = {}
        for statement in [inner for block in self._blocks for inner in _plain(block)]:
            for name in self.stored(statement):
                self._by_name.setdefault(name, []).append(statement)
            for node in walk(statement):
                if isinstance(node, Function) and node is not statement:
                    self._by_name.setdefault(f".{node.name}", []).append(node)

    def stored(self, node: ast.AST) -> set[str]:
        """Return what code gives a value, or may change."""
        if isinstance(node, Definition):
            return {node.name}
        targets = set[str]()
        for child in walk(node):
            if isinstance(getattr(child, "ctx", None), (ast.Store, ast.Del)):
                targets |= _place_of(child)
            elif isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
                is_alone = isinstance(node, ast.Expr) and node.value is child
                if is_alone or _KEEPS.fullmatch(child.func.attr):
                    targets |= _place_of(child.func.value)
        return targets - self._imported

    def reached(self, found: Collection[str]) -> set[str]:
        """Return these names, and all that stand in what gives them their values."""
        all_names, waiting = set(found), list(found)
        while waiting:
            for statement in self._by_name.get(waiting.pop(), ()):
                new = _mentioned(statement) - all_names
                all_names |= new
                waiting += new
        return all_names

    def goes_back(self, name: str) -> bool:
        """Return whether a function or class of a name computes gradients, or steps."""
        return any(
            isinstance(binding, Definition) and trains(binding)
            for binding in self._by_name.get(name, ())
        )

    def kept_by(self, reached: Collection[str]) -> set[str]:
        """Return the names that functions and classes of these names leave values under."""
        retained = set[str]()
        for name in reached:
            for binding in self._by_name.get(name, ()):
                if isinstance(binding, Definition):
                    parts = [p for p in walk(binding) if not isinstance(p, Definition)]
                    inside = set().union(*map(self.stored, parts))
                    local = names(binding, ast.Store) | _parameters(binding)
                    retained |= inside - local
        return retained

    def back_through(self, own: ast.stmt, made: set[str]) -> bool:
        """Return whether gradients may be computed for names that `own` has made."""
        before: set[str] = set()
        while before != made:
            before = set(made)
            for statement in [inner for block in self._blocks for inner in _plain(block)]:
                if not isinstance(statement, Definition) and _mentioned(statement) & made:
                    made |= self.stored(statement)
        return any(self._back_in(block, made, own, set()) for block in self._blocks)

    def _back_in(
        self, block: list[ast.stmt], made: set[str], own: ast.stmt, fresh: set[str]
    ) -> bool:
        """Return whether a block goes backward through such a name that is not `fresh` by then."""
        for node in block:
            if node is own:
                continue
            inner = [value for _, value in ast.iter_fields(node) if _is_block(value)]
            inner += [handler.body for handler in getattr(node, "handlers", [])]
            head = _head(node) if inner else node
            used = _mentioned(head)
            if (used & made) - fresh and self._is_back(head, used):
                return True
            if isinstance(node, Definition):
                given = _parameters(node) if isinstance(node, Function) else set()
                if any(self._back_in(part, made, own, given) for part in inner):
                    return True
                continue
            is_new = not (used & made) - fresh
            target = getattr(node, "target", None) if isinstance(node, For) else None
            inner_fresh = fresh if isinstance(node, (ast.With, ast.AsyncWith)) else set(fresh)
            if target is not None and is_new:
                inner_fresh |= names(target, ast.Store)
            if any(self._back_in(part, made, own, inner_fresh) for part in inner):
                return True
            if isinstance(node, ast.Assign):
                targets = [getattr(target, "elts", [target]) for target in node.targets]
                stored = set().union(*map(_place_of, chain.from_iterable(targets)))
                fresh.difference_update(stored) if not is_new else fresh.update(stored)
        return False

    def _is_back(self, node: ast.AST, used: set[str]) -> bool:
        return any(map(goes_back, walk(node))) or any(map(self.goes_back, self.reached(used)))


def _is_block(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], ast.stmt)


def _head(node: ast.stmt) -> ast.AST:
    """Return what a compound statement computes before its blocks."""
    parts = [
        part
        for name in ("iter", "test", "subject", "items", "decorator_list", "bases", "args")
        for value in [getattr(node, name, None)]
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, ast.AST)
    ]
    return ast.Module(parts, [])  # type: ignore[arg-type]  # any code will do


def _plain(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a block and of nested blocks; a definition as one statement."""
    for statement in block:
        inner = [value for _, value in ast.iter_fields(statement) if _is_block(value)]
        inner += [handler.body for handler in getattr(statement, "handlers", [])]
        if isinstance(statement, Definition) or not inner:
            yield statement
            continue
        target = getattr(statement, "target", None)
        if isinstance(statement, For) and target is not None:
            yield ast.Assign([target], statement.iter, lineno=statement.lineno)
        for item in getattr(statement, "items", []):
            if item.optional_vars is not None:
                yield ast.Assign([item.optional_vars], item.context_expr, lineno=statement.lineno)
        for part in inner:
            yield from _plain(part)


def _mentioned(node: ast.AST) -> set[str]:
    """Return the names that code reads, its attributes, and its texts, which may be either."""
    mentions = set[str]()
    for child in walk(node):
        if isinstance(child, ast.AugAssign):
            mentions |= _place_of(child.target)
        is_read = isinstance(getattr(child, "ctx", None), ast.Load)
        if isinstance(child, ast.Name) and is_read:
            mentions.add(child.id)
        elif isinstance(child, ast.Attribute) and is_read:
            mentions.add(f".{child.attr}")
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            mentions |= {child.value, f".{child.value}"}
    return mentions


def _place_of(node: ast.AST) -> set[str]:
    """Return `run` and `.out` of `run.out[0]`."""
    parts = set[str]()
    base = base_of(node)
    parts |= {base.id} if isinstance(base, ast.Name) else set()
    while isinstance(node, ast.Subscript):
        node = node.value
    return parts | ({f".{node.attr}"} if isinstance(node, ast.Attribute) else set())


def _parameters(node: ast.AST) -> set[str]:
    return {child.arg for child in walk(node) if isinstance(child, ast.arg)}
