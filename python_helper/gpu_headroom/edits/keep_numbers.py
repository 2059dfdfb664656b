"""Values of a loop that are kept without their graphs, where they come to nothing but numbers."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..code.find import called, method, words
from ..code.reading import walk
from .rewrite import Rewrite, rewriting
from .source import CellSource, NotApplicableError

if TYPE_CHECKING:
    from ..code.notebook import CellCode, Notebook
    from ..code.scopes import Scope

_WITHOUT = words("item detach tolist numpy data")
# Functions of Python that make a number, or a text, of what they are given.
_NUMBERS = words("print len float int str repr round format bool")
_MEANS = words("sum mean")
_JOINS = words("stack cat tensor as_tensor")
_PLOTS = words("plot scatter bar hist semilogy semilogx step fill_between")
_SHOWS = words("set_postfix set_description add_scalar write info debug warning")
_DEEPEST = 8


def kept_without_graph(name: str) -> Rewrite:
    """`kept_without_graph("losses")`: `losses.append(loss.detach())`, `total += loss.detach()`.

    For a name of which every other use, in all cells, prints, counts, sums, averages or plots.
    """
    return replace(_kept(name), needs=partial(_only_numbers, name=name))


@rewriting
def _kept(source: CellSource, name: str) -> None:
    added = map(_adds, source.nodes)
    values = [value for own, value in added if own == name and value is not None]
    changed = 0
    for value in values:
        source.loop(value)  # refused outside of one
        if not isinstance(value, (ast.Name, ast.Call, ast.Attribute, ast.BinOp, ast.Subscript)):
            raise NotApplicableError
        if _has_no_graph(value):
            continue
        start, end = source.span(value)
        if isinstance(value, ast.BinOp):
            source.replace((start, start), "(")
            source.replace((end, end), ").detach()")
        else:
            source.replace((end, end), ".detach()")
        changed += 1
    if not changed:
        raise NotApplicableError


def _adds(node: ast.AST) -> tuple[str, ast.expr | None]:
    """Return `losses` and `loss` of `losses.append(loss)` and `losses += loss`."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return getattr(node.target, "id", ""), node.value
    owner = method(node, "append")
    if isinstance(node, ast.Call) and owner and len(node.args) == 1 and not node.keywords:
        return getattr(owner, "id", ""), node.args[0]
    return "", None


def keeps_graphs(notebook: Notebook, cell: CellCode, place: ast.AST) -> bool:
    """Return whether a statement adds values with graphs to what may become more than numbers."""
    return any(
        value is not None and not _has_no_graph(value) and not _only_numbers(notebook, cell, name)
        for name, value in map(_adds, walk(place))
    )


def _has_no_graph(value: ast.expr) -> bool:
    while isinstance(value, (ast.Call, ast.Attribute)):
        function = value.func if isinstance(value, ast.Call) else value
        if isinstance(function, ast.Attribute) and function.attr in _WITHOUT:
            return True
        value = function.value if isinstance(function, ast.Attribute) else function
    return isinstance(value, ast.Constant)


def _only_numbers(notebook: Notebook, cell: CellCode, name: str) -> bool:
    """Return whether all uses of a name add to it, or come to nothing but numbers."""
    added = [node for node in cell.nodes if _adds(node)[0] == name]
    owners = {
        use.owner
        for use in cell.uses
        if use.name == name and any(use.node in walk(node) for node in added)
    }
    if len(owners) != 1 or any(code.tree is None or name in code.words for code in notebook.cells):
        return False
    return _Numbers(notebook).of(cell, name, owners.pop(), is_first=True)


class _Numbers:
    """Follows a name through the notebook, and those that get what is made of it."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self._seen = set[tuple[str, int]]()

    def of(self, cell: CellCode, name: str, owner: Scope | None, *, is_first: bool = False) -> bool:
        """Return whether every use of a name of a scope is harmless."""
        if (name, id(owner)) in self._seen:
            return True
        self._seen.add((name, id(owner)))
        if owner is not None and (name in owner.outer or name in owner.passed_on):
            return False
        uses = [(cell, use) for use in cell.uses if use.owner is owner and use.name == name]
        return len(self._seen) <= _DEEPEST and all(
            self._is_harmless(where, use.node, name, is_first=is_first)
            for where, use in (self._notebook.uses(name) if owner is None else uses)
        )

    def _is_harmless(self, cell: CellCode, node: ast.AST, name: str, *, is_first: bool) -> bool:
        parent = cell.parent(node)
        if isinstance(parent, ast.AugAssign) and parent.target is node:
            return _adds(parent)[0] == name or not is_first
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            return not is_first or _is_begun(node, parent)
        if isinstance(parent, ast.Attribute) and parent.attr in ("append", "clear"):
            outer = cell.parent(parent)
            alone = outer is not None and isinstance(cell.parent(outer), ast.Expr)
            return alone and isinstance(outer, ast.Call) and outer.func is parent
        return self._comes_to_numbers(cell, node)

    def _comes_to_numbers(self, cell: CellCode, node: ast.AST) -> bool:
        """Return whether an expression is shown, or made a number, or kept under such a name."""
        child = node
        for parent in cell.parents(node):
            verdict = self._step(cell, child, parent)
            if verdict is not None:
                return verdict
            child = parent
        return False

    def _step(self, cell: CellCode, child: ast.AST, parent: ast.AST) -> bool | None:
        """Return whether a parent makes a number of the value; `None`: look at its parent."""
        if isinstance(parent, ast.Attribute):
            outer = cell.parent(parent)
            if parent.attr in _WITHOUT:
                return parent.attr == "data" or isinstance(outer, ast.Call)
            return None if parent.attr in _MEANS and isinstance(outer, ast.Call) else False
        if isinstance(parent, ast.Call):
            return None if parent.func is child else self._given(parent)
        if isinstance(parent, ast.Assign):
            return all(isinstance(one, ast.Name) for one in parent.targets) and all(
                self.of(cell, *cell.owners[one][:2]) for one in parent.targets
            )
        if isinstance(parent, ast.comprehension):
            return parent.iter is child and self._of_each(cell, parent.target)
        goes_on = isinstance(parent, (ast.BinOp, ast.UnaryOp)) or (
            isinstance(parent, ast.Subscript) and parent.value is child
        )
        return None if goes_on else _is_shown(parent)

    def _of_each(self, cell: CellCode, target: ast.expr) -> bool:
        """Return whether a comprehension makes a number of each value."""
        binding = cell.owners.get(target)
        return binding is not None and all(
            self._comes_to_numbers(cell, use.node)
            for use in cell.uses
            if use.owner is binding[1] and use.name == binding[0] and use.how == "read"
        )

    def _given(self, call: ast.Call) -> bool | None:
        """Return whether a call makes numbers of its arguments; `None`: look at the result."""
        name = called(call)
        if isinstance(call.func, ast.Name):
            if any(use.how != "read" for _, use in self._notebook.uses(name)):
                return False  # no function of Python's
            return True if name in _NUMBERS else None if name in _MEANS else False
        owner = getattr(call.func.value, "id", "") if isinstance(call.func, ast.Attribute) else ""
        imported = any(isinstance(use.node, ast.alias) for _, use in self._notebook.uses(owner))
        if name in _PLOTS or name in _SHOWS:
            return True
        return None if imported and name in _MEANS | _JOINS else False


def _is_begun(node: ast.AST, parent: ast.AST | None) -> bool:
    """Return whether a name is begun by nothing, or deleted."""
    if isinstance(getattr(node, "ctx", None), ast.Del):
        return True
    value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
    if isinstance(value, ast.List):
        return not value.elts
    if isinstance(value, ast.Call):
        callee = called(value)
        return callee in ("zeros", "tensor") or (callee == "list" and not value.args)
    return isinstance(value, ast.Constant)


def _is_shown(node: ast.AST) -> bool:
    """Return whether the value of a node is displayed, or compared by size."""
    if not isinstance(node, ast.Compare):
        return isinstance(node, (ast.Expr, ast.FormattedValue))
    return not any(
        isinstance(operator, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for operator in node.ops
    )
