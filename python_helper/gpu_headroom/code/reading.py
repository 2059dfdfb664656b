"""Trees that were parsed and walked for one request, shared by all code that reads source."""

from __future__ import annotations

import ast
import math
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..concurrency.turns import Turn

_EVERY = 256  # nodes, which take less than a millisecond


@dataclass(slots=True)
class _Reading:
    """The trees of the texts that were parsed, and the children of the nodes that were visited."""

    turn: Turn | None = None
    trees: dict[str, ast.Module | None] = field(default_factory=dict)
    children: dict[ast.AST, tuple[ast.AST, ...]] = field(default_factory=dict)
    nodes: dict[ast.AST, list[ast.AST]] = field(default_factory=dict)
    count: int = 0

    def check(self) -> None:
        """Yield to other threads; raise `TimeLimitError` if the time is over."""
        if self.turn is not None:
            self.turn.pause()
            self.turn.ensure_time()


_READING: ContextVar[_Reading | None] = ContextVar("reading", default=None)
current = _READING.get


@contextmanager
def each_parsed_once(turn: Turn | None = None, wall_s: float = math.inf) -> Iterator[None]:
    """Parse no text twice within: all readers share one tree, and do not change it.

    All work of `turn` has so much time together; after that, reading code raises `TimeLimitError`.
    """
    if turn is not None:
        turn.limit(wall_s)
    token = _READING.set(_Reading(turn))
    try:
        yield
    finally:
        _READING.reset(token)


def was_cut() -> bool:
    """Whether the time was over before all was read that was asked for."""
    reading = current()
    return reading is not None and reading.turn is not None and reading.turn.was_cut


def check_time(every: int = _EVERY) -> None:
    """Check the time in one of so many calls; to be called in each round of a loop."""
    reading = current()
    if reading is not None:
        reading.count += 1
        if not reading.count % every:
            reading.check()


def children(node: ast.AST) -> tuple[ast.AST, ...]:
    """Return the child nodes of a node in order, without contexts such as `ast.Load`."""
    cache = (current() or _Reading()).children
    if node not in cache:
        inner = ast.iter_child_nodes(node)
        cache[node] = tuple([child for child in inner if not isinstance(child, ast.expr_context)])
    return cache[node]


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes in it in the order of `ast.walk`, and check the time.

    The nodes of a module are kept: many go through them.
    """
    cache = (current() or _Reading()).nodes
    if node in cache:
        for inner in cache[node]:
            check_time()
            yield inner
        return
    nodes = [node]
    for inner in nodes:  # it grows meanwhile
        check_time()
        nodes += children(inner)
        yield inner
    if isinstance(node, ast.Module):
        cache[node] = nodes
