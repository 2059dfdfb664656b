"""How long code is read, and what was parsed by then: for all that read within one question."""

from __future__ import annotations

import ast
import math
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..concurrency.turns import Turn

_EVERY = 1024  # nodes, which take a millisecond or two


@dataclass(slots=True)
class _Reading:
    """The trees of texts that were parsed so far, and the processor time at which it ends."""

    turn: Turn | None = None
    ends_s: float = math.inf
    trees: dict[str, ast.Module | None] = field(default_factory=dict)
    looked_at: int = 0
    is_cut: bool = False

    def check(self) -> None:
        """Let others go on; raise `Late` where the time is over."""
        if self.turn is not None:
            self.turn.pause()
        if time.thread_time() > self.ends_s:
            from ..concurrency.turns import Late  # not before the first failure

            self.is_cut = True
            raise Late


_READING: ContextVar[_Reading | None] = ContextVar("reading", default=None)
current = _READING.get


@contextmanager
def each_parsed_once(turn: Turn | None = None, cpu_s: float | None = None) -> Iterator[None]:
    """Parse no text twice within: whoever asks gets the same tree, and leaves it as it is.

    After so much processor time whatever reads code within raises `Late`; `turn` is paused. Both
    are as around it unless given.
    """
    outer = current() or _Reading()
    ends_s = outer.ends_s if cpu_s is None else time.thread_time() + cpu_s
    token = _READING.set(_Reading(turn or outer.turn, ends_s, outer.trees))
    try:
        yield
    finally:
        _READING.reset(token)


def was_cut() -> bool:
    """Whether the time was over before all was read that was asked for."""
    reading = current()
    return reading is not None and reading.is_cut


def make_way() -> None:
    """Check the time of the reading now and then; to be called for each node."""
    reading = current()
    if reading is not None:
        reading.looked_at += 1
        if not reading.looked_at % _EVERY:
            reading.check()


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all in it, as `ast.walk` does, and make way."""
    for each in ast.walk(node):
        make_way()
        yield each
