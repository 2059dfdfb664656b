"""The readings of a session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_headroom.trends.history import KEPT_S, OLDER_S, ReadingHistory
from tests.cells.test_runs import reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpu_headroom.protocol.generated import wire


def points_of(readings: Iterable[tuple[float, int]]) -> list[wire.HistoryPoint]:
    """Enter readings, and return the points of them."""
    history = ReadingHistory()
    for time_s, in_use_bytes in readings:
        history.enter(replace(reading(in_use_bytes), time_s=time_s))
    return history.points()


def values_of(*readings: tuple[float, int]) -> list[tuple[float, int]]:
    """Enter readings, and return time and bytes of the points."""
    return [(point["time_s"], point["in_use_bytes"]) for point in points_of(readings)]


def test_keeps_the_highest_reading_of_each_second() -> None:
    """However often it was read."""
    assert values_of((10.1, 5), (10.5, 9), (10.9, 7), (11.2, 2)) == [(10.5, 9), (11.2, 2)]


def test_keeps_of_what_is_older_the_highest_and_the_lowest() -> None:
    """In longer stretches, once all of one is older than five minutes."""
    readings = [(OLDER_S, 5), (OLDER_S + 1, 9), (OLDER_S + 2, 2), (2 * OLDER_S + KEPT_S, 1)]
    before, last = points_of(readings)
    assert (before["time_s"], before["in_use_bytes"], before["width_s"]) == (
        OLDER_S + 1,
        9,
        OLDER_S,
    )
    outside = before["outside_bytes"] or 0
    assert before["low_bytes"] == 2 + outside
    assert (last["width_s"], last["low_bytes"]) == (1, 1 + outside)


def test_keeps_eight_hours_in_little_more_than_five_minutes() -> None:
    """The first hours of a longer session go."""
    points = points_of((float(second), second % 7) for second in range(10 * 3600))
    assert len(points) <= KEPT_S + OLDER_S + 120
    assert points[-1]["time_s"] - points[0]["time_s"] > 8 * 3600 - OLDER_S
    assert all(point["in_use_bytes"] == 6 for point in points if point["width_s"] == OLDER_S)


def test_goes_on_when_the_clock_is_set_back() -> None:
    """What was read by the other clock is no past of what is read now."""
    assert values_of((5000, 9), (5001, 8), (1400, 3), (1401, 4)) == [(1400, 3), (1401, 4)]
