"""How long code is read: one limit for all that is done for a report."""

from __future__ import annotations

import ast
import time
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.code.parsing import parse_cell
from gpu_headroom.code.reading import check_time, each_parsed_once, walk, was_cut
from gpu_headroom.concurrency.turns import TimeLimitError, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = "def f(x, *, y=[1, 2]):\n    return [x + z for z in y if z]\nf(*a, b=c)[1:2].d = 3"


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """The clock of turns."""
    own = Clock()
    with monkeypatch.context() as patch:
        patch.setattr(time, "perf_counter", own)
        yield own


def test_walks_as_python_does() -> None:
    """Without contexts; a module a second time from what was kept."""
    tree = ast.parse(SOURCE)
    expected = [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]
    assert list(walk(tree)) == expected
    with each_parsed_once():
        assert list(walk(tree)) == expected
        assert list(walk(tree)) == expected


def test_nothing_is_read_once_the_time_is_over(clock: Clock) -> None:
    """Whatever has a loop ends there, and it is known that something is missing."""
    with each_parsed_once(Turn(asked=False), 1.0):
        check_time(every=1)
        assert parse_cell(SOURCE) is not None
        assert not was_cut()
        clock.now_s = 1.5
        with pytest.raises(TimeLimitError):
            check_time(every=1)
        with pytest.raises(TimeLimitError):
            parse_cell("x = 1")
        assert was_cut()


def test_a_walk_ends_with_the_limit_of_what_it_is_a_part_of(clock: Clock) -> None:
    """However much time it was given of its own."""
    turn = Turn(30.0)
    turn.limit(1.0)
    before = turn.late, turn.lists_all
    clock.now_s = 1.5
    assert (before, turn.late, turn.lists_all) == ((False, True), True, False)
