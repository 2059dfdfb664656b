"""Steps of a loop, detected from the rise and fall of memory in use."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from statistics import median

from ..text.format import MIB

_RECENT = 48  # readings in which a step is searched
_LEAST_SWING_BYTES = MIB
_FINE = 1 / 2  # of the swing: less is allocated from one reading to the next
_LOW, _HIGH = 0.3, 0.7  # of the swing: a rise goes from below the first to above the second
_MARKS = 9  # rises that are kept
_LEAST_MARKS = 4
_ALIKE = 0.25  # of the median: maximum deviation of a step


class LoopSteps:
    """Counts steps from the framework's counter of all bytes ever allocated.

    Each step of a training loop allocates the same number of bytes. That number is learned from
    readings that are dense enough to follow its rise and fall: less than half of that swing may
    have been allocated between two of them. (A whole step between two readings would allocate more
    than the swing, so a slow beat between steps and readings is never mistaken for a step.)
    """

    def __init__(self) -> None:
        self._recent: deque[tuple[float, int, int]] = deque(maxlen=_RECENT)
        self._marks: deque[int] = deque(maxlen=_MARKS)
        self._first: int | None = None
        self._high = False
        self._bytes_per_step: float | None = None

    def enter(self, time_s: float, in_use: int, allocated_total: int | None) -> None:
        """Add a reading; ignored without the counter of allocated bytes."""
        if allocated_total is None:
            return
        if self._recent and allocated_total < self._recent[-1][2]:
            self.__init__()  # type: ignore[misc]  # the counter was reset: start over
        recent = self._recent
        if self._first is None:
            self._first = allocated_total
        recent.append((time_s, in_use, allocated_total))
        if len(recent) > 1:
            self._follow(allocated_total)

    @property
    def steps(self) -> int | None:
        """Approximate number of steps so far; `None` where steps cannot be detected."""
        if self._bytes_per_step is None or self._first is None:
            return None
        return round((self._recent[-1][2] - self._first) / self._bytes_per_step)

    @property
    def step_s(self) -> float | None:
        """Recent seconds per step; `None` where steps cannot be detected."""
        if self._bytes_per_step is None:
            return None
        (start_s, _, start), (end_s, _, end) = self._recent[0], self._recent[-1]
        return (end_s - start_s) * self._bytes_per_step / (end - start) if end > start else None

    def _follow(self, allocated_total: int) -> None:
        """Mark a rise, where the readings are dense enough to follow a step."""
        levels = self._levels()
        lowest, swing = min(levels), max(levels) - min(levels)
        given = [later[2] - earlier[2] for earlier, later in pairwise(self._recent)]
        if swing < _LEAST_SWING_BYTES or median(given) > _FINE * swing:
            self._marks.clear()
        elif self._high:
            self._high = levels[-1] > lowest + _LOW * swing
        elif levels[-1] > lowest + _HIGH * swing:
            self._high = True
            self._marks.append(allocated_total)
            self._learn()

    def _levels(self) -> list[float]:
        """Return the recent readings with the growth of their minimum removed."""
        sizes = [reading[1] for reading in self._recent]
        half = len(sizes) // 2
        growth = (min(sizes[half:]) - min(sizes[:half])) / half
        return [size - growth * place for place, size in enumerate(sizes)]

    def _learn(self) -> None:
        marks = list(self._marks)
        given = [later - mark for mark, later in pairwise(marks)]
        if len(marks) < _LEAST_MARKS:
            return
        usual = median(given)
        alike = all(abs(size - usual) <= _ALIKE * usual for size in given)
        self._bytes_per_step = usual if alike else None
