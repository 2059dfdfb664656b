"""The steps of a loop, told apart by how memory in use rises and falls."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from statistics import median

from ..text.format import MIB

_RECENT = 48  # readings, in which a step is looked for
_LEAST_SWING_BYTES = MIB
_FINE = 1 / 2  # of the swing: less is allocated from one reading to the next
_LOW, _HIGH = 0.3, 0.7  # of the swing: the way up leads from below one to above the other
_MARKS = 9  # ways up that are kept
_LEAST_MARKS = 4
_ALIKE = 0.25  # of the median: so far may steps be apart


class LoopSteps:
    """Counts steps from the framework's counter of all bytes it ever gave out.

    A step of a training loop gives out the same number of bytes each time. How many is learnt
    from readings that follow its rise and fall: between two of them less than half of that
    swing may have been given out. (A whole step between two readings would give out more than
    the swing, so that a slow beat between steps and readings is never taken for a step.)
    """

    def __init__(self) -> None:
        self._recent: deque[tuple[float, int, int]] = deque(maxlen=_RECENT)
        self._marks: deque[int] = deque(maxlen=_MARKS)
        self._first: int | None = None
        self._high = False
        self._bytes_per_step: float | None = None

    def enter(self, time_s: float, in_use: int, allocated_total: int | None) -> None:
        """Enter a reading; without the counter nothing can be told."""
        if allocated_total is None:
            return
        if self._recent and allocated_total < self._recent[-1][2]:
            self.__init__()  # type: ignore[misc]  # the counter was reset: all begins anew
        recent = self._recent
        if self._first is None:
            self._first = allocated_total
        recent.append((time_s, in_use, allocated_total))
        if len(recent) > 1:
            self._follow(allocated_total)

    @property
    def steps(self) -> int | None:
        """Steps so far, about; `None` where they cannot be told apart."""
        if self._bytes_per_step is None or self._first is None:
            return None
        return round((self._recent[-1][2] - self._first) / self._bytes_per_step)

    @property
    def step_s(self) -> float | None:
        """Seconds that a step takes of late; `None` where they cannot be told apart."""
        if self._bytes_per_step is None:
            return None
        (start_s, _, start), (end_s, _, end) = self._recent[0], self._recent[-1]
        return (end_s - start_s) * self._bytes_per_step / (end - start) if end > start else None

    def _follow(self, allocated_total: int) -> None:
        """Mark the way up, where the readings are close enough to follow a step."""
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
        """Return the recent readings without the growth of what stays."""
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
