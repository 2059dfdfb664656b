"""Names that statements read before they assign them, and names assigned at their end."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from .find import called
from .scopes import Definition, For, With

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Names = Callable[[ast.AST], set[str]]

_TRY: Any = (ast.Try, ast.TryStar) if sys.version_info >= (3, 11) else (ast.Try,)


class Order(NamedTuple):
    """Names that a block reads as they were before it, and names that it has certainly set."""

    early: set[str]
    set: set[str]


def order_of(body: Sequence[ast.stmt], reads: Names, binds: Names) -> Order:
    """Read a block in the order in which it runs; a `for` loop is taken to have a round.

    `reads` and `binds` return the names of the scope in question that a piece of code reads, or
    gives a value.
    """
    early, done = set[str](), set[str]()
    for statement in body:
        inner = _of_statement(statement, reads, binds)
        early |= inner.early - done
        done |= inner.set
        if isinstance(statement, ast.Delete):
            done -= binds(statement)
    return Order(early, done)


def _of_statement(node: ast.stmt, reads: Names, binds: Names) -> Order:
    for kinds, way in _WAYS:
        if isinstance(node, kinds):
            order: Order = way(node, reads, binds)
            return order
    if isinstance(node, (ast.AugAssign, ast.Delete)):
        return Order(reads(node) | binds(node), set())
    return Order(reads(node), binds(node))


def _of_definition(node: Any, reads: Names, _: Names) -> Order:
    return Order(reads(node) - {node.name}, {node.name})


def _of_if(node: ast.If, reads: Names, binds: Names) -> Order:
    one, other = (order_of(block, reads, binds) for block in (node.body, node.orelse))
    return Order(reads(node.test) | one.early | other.early, one.set & other.set)


def _of_for(node: ast.For, reads: Names, binds: Names) -> Order:
    done = binds(node.target)
    inner, last = (order_of(block, reads, binds) for block in (node.body, node.orelse))
    early = (inner.early - done) | (last.early - inner.set - done)
    return Order(reads(node.iter) | early, done | inner.set)


def _of_while(node: ast.While, reads: Names, binds: Names) -> Order:
    inner, last = (order_of(block, reads, binds) for block in (node.body, node.orelse))
    forever = getattr(node.test, "value", False) is True
    early = reads(node.test) | inner.early | last.early
    return Order(early, inner.set if forever else set())


def _of_match(node: ast.Match, reads: Names, binds: Names) -> Order:
    early = set(reads(node.subject))
    for case in node.cases:
        early |= reads(case.guard) if case.guard else set()
        early |= order_of(case.body, reads, binds).early - binds(case.pattern)
    return Order(early, set())


def _of_with(node: ast.With | ast.AsyncWith, reads: Names, binds: Names) -> Order:
    early, done = set[str](), set[str]()
    for item in node.items:
        early |= reads(item) - done
        done |= binds(item)
    inner = order_of(node.body, reads, binds)
    # Under `suppress` the block may have ended anywhere.
    swallows = any(called(item.context_expr) == "suppress" for item in node.items)
    return Order(early | (inner.early - done), done if swallows else done | inner.set)


def _of_try(node: Any, reads: Names, binds: Names) -> Order:
    body = order_of([*node.body, *node.orelse], reads, binds)
    last = order_of(node.finalbody, reads, binds)
    early, ways = body.early | last.early, [body.set]
    for handler in node.handlers:
        inner = order_of(handler.body, reads, binds)
        early |= (inner.early - {handler.name}) | (reads(handler.type) if handler.type else set())
        ways.append(inner.set)
    return Order(early, set.intersection(*ways) | last.set)


_WAYS: tuple[tuple[Any, Any], ...] = (
    (Definition, _of_definition),
    (ast.If, _of_if),
    (For, _of_for),
    (ast.While, _of_while),
    (With, _of_with),
    (_TRY, _of_try),
    (ast.Match, _of_match),
)
