"""The readings of the last minutes."""

from __future__ import annotations

from dataclasses import replace

from gpu_headroom.trends.history import KEPT_S, ReadingHistory
from tests.cells.test_runs import reading


def told(*readings: tuple[float, int]) -> list[tuple[float, int]]:
    """Enter readings, and return what is told of them."""
    history = ReadingHistory()
    for time_s, in_use_bytes in readings:
        history.enter(replace(reading(in_use_bytes), time_s=time_s))
    return [(each["time_s"], each["in_use_bytes"]) for each in history.points()]


def test_keeps_the_highest_reading_of_each_second() -> None:
    """However often it was read."""
    assert told((10.1, 5), (10.5, 9), (10.9, 7), (11.2, 2)) == [(10.5, 9), (11.2, 2)]


def test_forgets_what_is_older_than_five_minutes() -> None:
    """Counted from the newest reading."""
    assert told((0, 1), (1, 1), (KEPT_S + 0.5, 1)) == [(1, 1), (KEPT_S + 0.5, 1)]


def test_goes_on_when_the_clock_is_set_back() -> None:
    """What was read by the other clock is no past of what is read now."""
    assert told((5000, 9), (5001, 8), (1400, 3), (1401, 4)) == [(1400, 3), (1401, 4)]
