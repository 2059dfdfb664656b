"""Which names are read later, from a place in the code on: as a value that they have there."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from .find import called

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Names = Callable[[ast.AST], set[str]]

_Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_With = (ast.With, ast.AsyncWith)
_TRY: Any = (ast.Try, ast.TryStar) if sys.version_info >= (3, 11) else (ast.Try,)


class _Exits(NamedTuple):
    """What is read later where the code does not go on with the next statement."""

    end: set[str]
    """Behind `return`."""
    stop: set[str]
    """Behind `break`."""
    again: set[str]
    """Behind `continue`."""
    caught: set[str]
    """Where an error is handled: any statement may fail."""


class Liveness:
    """What is read later, from each statement of a block on: `ahead` of it, and `after` it.

    `reads` and `binds` say which names of the scope in question an expression reads and binds.
    `end` are the names that are read behind all of it. `before` are those that it reads as they
    were before it; loops of the kinds in `rounds` are taken to have one.
    """

    def __init__(
        self,
        body: Sequence[ast.stmt],
        reads: Names,
        binds: Names,
        end: Iterable[str] = (),
        *,
        rounds: tuple[type[ast.stmt], ...] = (),
    ) -> None:
        self._reads, self._binds, self._rounds = reads, binds, rounds
        self._compound: tuple[tuple[Any, Callable[..., set[str]]], ...] = (
            (_Definition, self._definition),
            (ast.If, self._if),
            (LOOPS, self._loop),
            (_With, self._with),
            (_TRY, self._try),
            (ast.Match, self._match),
        )
        self.ahead: dict[ast.stmt, set[str]] = {}
        self.after: dict[ast.stmt, set[str]] = {}
        last = set(end)
        self.before = self._block(body, last, _Exits(last, set(), set(), set()))

    def _block(self, body: Sequence[ast.stmt], later: set[str], ways: _Exits) -> set[str]:
        for statement in reversed(body):
            self.after[statement] = self.after.get(statement, set()) | later
            later = self._statement(statement, later, ways) | ways.caught
            self.ahead[statement] = self.ahead.get(statement, set()) | later
        return later

    def _statement(self, node: ast.stmt, later: set[str], ways: _Exits) -> set[str]:
        for kinds, way in self._compound:
            if isinstance(node, kinds):
                return way(node, later, ways)
        return self._simple(node, later, ways)

    def _simple(self, node: ast.stmt, later: set[str], ways: _Exits) -> set[str]:
        reads, binds = self._reads(node), self._binds(node)
        if isinstance(node, (ast.AugAssign, ast.Delete)):
            return later | reads | binds
        if isinstance(node, (ast.Return, ast.Raise)):
            return reads | (ways.end if isinstance(node, ast.Return) else set())
        if isinstance(node, (ast.Break, ast.Continue)):
            return ways.stop if isinstance(node, ast.Break) else ways.again
        return (later - binds) | reads

    def _definition(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
        later: set[str],
        _: _Exits,
    ) -> set[str]:
        return (later - {node.name}) | self._reads(node)

    def _if(self, node: ast.If, later: set[str], ways: _Exits) -> set[str]:
        both = self._block(node.body, later, ways) | self._block(node.orelse, later, ways)
        return both | self._reads(node.test)

    def _with(self, node: ast.With | ast.AsyncWith, later: set[str], ways: _Exits) -> set[str]:
        later = self._block(node.body, later, ways)
        for item in reversed(node.items):
            later = (later - self._binds(item)) | self._reads(item)
        return later

    def _match(self, node: ast.Match, later: set[str], ways: _Exits) -> set[str]:
        found = set(later)
        for case in node.cases:
            inner = self._block(case.body, later, ways) - self._binds(case.pattern)
            found |= inner | (self._reads(case.guard) if case.guard else set())
        return found | self._reads(node.subject)

    def _loop(
        self, node: ast.For | ast.AsyncFor | ast.While, later: set[str], ways: _Exits
    ) -> set[str]:
        behind = self._block(node.orelse, later, ways)
        target = set[str]() if isinstance(node, ast.While) else self._binds(node.target)
        head = self._reads(node.test) if isinstance(node, ast.While) else set()
        again, inside = behind | head, set[str]()
        for _ in range(2):  # what the second round reads is read behind the first
            inside = self._block(node.body, again, ways._replace(stop=later, again=again)) - target
            again |= inside
        first = head if isinstance(node, ast.While) else self._reads(node.iter)
        # Of a target only the names are given a value: `values[n]` is read.
        return (inside if isinstance(node, self._rounds) else again) | first

    def _try(self, node: ast.stmt, later: set[str], ways: _Exits) -> set[str]:
        body, handlers, orelse, last = (
            getattr(node, name) for name in ("body", "handlers", "orelse", "finalbody")
        )
        behind = self._block(last, later, ways)
        failed = self._block(last, ways.caught | ways.end | ways.stop | ways.again, ways)
        through = _Exits(*(way | failed if last else way for way in ways))
        caught = set(through.caught)
        for handler in handlers:
            inner = self._block(handler.body, behind, through) - (
                {handler.name} if handler.name else set()
            )
            caught |= inner | (self._reads(handler.type) if handler.type else set())
        inside = through._replace(caught=caught)
        rest = self._block(orelse, behind, through)
        return self._block(body, rest, inside) | caught


def certainly_bound(
    body: Sequence[ast.stmt], binds: Names, rounds: tuple[type[ast.stmt], ...] = ()
) -> set[str]:
    """Return the names that a block has given a value wherever it comes to its end.

    Loops of the kinds in `rounds` are taken to have a round.
    """
    bound: set[str] = set()
    for statement in body:
        inner, ways = getattr(statement, "body", []), list[list[ast.stmt]]()
        if isinstance(statement, ast.If):
            ways = [inner, statement.orelse]
        elif isinstance(statement, _TRY):
            bound |= certainly_bound(statement.finalbody, binds, rounds)
            ways = [[*inner, *statement.orelse], *[handler.body for handler in statement.handlers]]
        elif isinstance(statement, _With):
            bound = bound.union(*map(binds, statement.items))
            ways = [] if any(map(_swallows, statement.items)) else [inner]
        elif isinstance(statement, LOOPS) and isinstance(statement, rounds):
            is_entered = not isinstance(statement, ast.While) or getattr(
                statement.test, "value", False
            )
            bound |= set() if isinstance(statement, ast.While) else binds(statement.target)
            ways = [[*inner, *statement.orelse]] if is_entered else []
        elif isinstance(statement, ast.Delete):
            bound -= binds(statement)
        elif not isinstance(statement, (*LOOPS, ast.Match)):
            bound |= binds(statement)
        if ways:
            bound |= set.intersection(*[certainly_bound(way, binds, rounds) for way in ways])
    return bound


def _swallows(item: ast.withitem) -> bool:
    """Whether a `with` goes on behind an error, and what is made in it may not be there."""
    return called(item.context_expr) == "suppress"
