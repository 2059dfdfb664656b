"""Scopes of names: the notebook, a function, a class or a comprehension."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal, NamedTuple

from .reading import check_time, children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

How = Literal["read", "bind", "delete"]

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Definition = (*Function, ast.ClassDef)
For = (ast.For, ast.AsyncFor)
With = (ast.With, ast.AsyncWith)
_Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Scope:
    """A module, function, class or comprehension, and the names that are bound in it."""

    def __init__(self, node: ast.AST, parent: Scope | None) -> None:
        self.node, self.parent = node, parent
        self.bound: set[str] = set()
        self.outer: set[str] = set()
        """Names that a `global` statement gives to the notebook."""
        self.passed_on: set[str] = set()
        """Names that a `nonlocal` statement gives to the function around."""

    @property
    def function(self) -> Scope:
        """The innermost scope that assignments of an expression bind names in."""
        is_inner = isinstance(self.node, _Comprehension)
        return self.parent.function if is_inner and self.parent else self

    def owner(self, name: str) -> Scope | None:
        """Return the scope that a name belongs to, where it is read here; `None`: the notebook."""
        scope: Scope | None = self
        while scope is not None and scope.parent is not None:
            if name in scope.outer:
                return None
            is_hidden = isinstance(scope.node, ast.ClassDef) and scope is not self
            if name in scope.bound and name not in scope.passed_on and not is_hidden:
                return scope
            scope = scope.parent
        return None


class Use(NamedTuple):
    """A use of a name; `owner` is the scope that the name belongs to, `None` for the notebook."""

    name: str
    node: ast.AST
    how: How
    owner: Scope | None
    inside: Scope


def uses_in(tree: ast.Module) -> list[Use]:
    """Return all uses of names in a cell. Raises `RecursionError` for code nested too deeply."""
    looked = _Look(tree)
    return [
        Use(name, node, how, scope.owner(name), scope) for name, node, how, scope in looked.found
    ]


class _Look:
    """Goes over a tree once; what is bound where is only known at its end."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[tuple[str, ast.AST, How, Scope]] = []
        self._each(tree.body, Scope(tree, None))

    def _bind(self, name: str, node: ast.AST, scope: Scope) -> None:
        scope.bound.add(name)
        self.found.append((name, node, "bind", scope))

    def _each(self, nodes: Iterable[ast.AST | None], scope: Scope) -> None:
        for node in nodes:
            if node is not None:
                self._visit(node, scope)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        check_time()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self.found.append((node.id, node, "read", scope))
            else:
                scope.bound.add(node.id)
                how: How = "bind" if isinstance(node.ctx, ast.Store) else "delete"
                self.found.append((node.id, node, how, scope))
        elif isinstance(node, (*Function, ast.Lambda)):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._bind(node.name, node, scope)
            self._each([*node.decorator_list, *node.bases, *node.keywords], scope)
            self._each(node.body, Scope(node, scope))
        elif isinstance(node, _Comprehension):
            self._comprehension(node, scope)
        elif isinstance(node, ast.NamedExpr):
            self._visit(node.value, scope)
            self._bind(node.target.id, node.target, scope.function)
        elif isinstance(node, ast.Global):
            scope.outer.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            scope.passed_on.update(node.names)
        else:
            for name in named_by(node):
                self._bind(name, node, scope)
            self._each(children(node), scope)

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope
    ) -> None:
        given = node.args
        if not isinstance(node, ast.Lambda):
            self._bind(node.name, node, scope)
            self._each(node.decorator_list, scope)
        self._each([*given.defaults, *given.kw_defaults], scope)
        inner = Scope(node, scope)
        for argument in arguments(node):
            self._bind(argument.arg, argument, inner)
        self._each(node.body if isinstance(node.body, list) else [node.body], inner)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, scope: Scope
    ) -> None:
        inner = Scope(node, scope)
        for n, comprehension in enumerate(node.generators):
            self._visit(comprehension.iter, inner if n else scope)
            self._each([comprehension.target, *comprehension.ifs], inner)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._each(parts, inner)


def arguments(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.arg]:
    """Return all parameters of a function, those with a star included, positional ones first."""
    given = node.args
    stars = [argument for argument in (given.vararg, given.kwarg) if argument is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *stars]


def defaults(given: ast.arguments) -> dict[ast.arg, ast.expr]:
    """Return the parameters that have a default, with it."""
    positional = [*given.posonlyargs, *given.args]
    ends = zip(positional[::-1], given.defaults[::-1], strict=False)
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return {argument: default for argument, default in (*ends, *named) if default is not None}


def named_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds which are no nodes of their own."""
    if isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def executed(root: ast.AST) -> Iterator[ast.AST]:
    """Walk, in order, through what runs where this does: not through the bodies of functions."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        inside = list(children(node))
        if isinstance(node, Function):
            given = node.args
            inside = [*node.decorator_list, *given.defaults, *filter(None, given.kw_defaults)]
        waiting += inside[::-1]
