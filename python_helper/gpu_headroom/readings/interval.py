"""Pause of the sampler's thread between two readings."""

from __future__ import annotations

import time
from random import uniform
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .sources import Reading

DEFAULT_HZ = 2.0
_LEVEL_HZ = 2 / 3  # a front end shows readings of three seconds ago as stale
_LEVEL_S = 3.0  # without a change before the rate is lowered
_CLOSE_HZ = 5.0  # requested from here on: a detailed view is open, never lowered
_SLOW_S = 0.005
_FIRST_BACK_OFF_S = 1.0
_LAST_BACK_OFF_S = 5.0
_OFF_BEAT = 0.85, 1.05
_LEAST_REST = 0.2  # of an interval, however long readings take


class Interval:
    """The time from one reading to the next.

    `rate_hz` returns the rate that clients request, `None` without one. The rate is at least
    `DEFAULT_HZ`, for peaks and warnings, but one reading in a second and a half where nothing
    changes and no client requests 5 Hz or more. Slow sources (an allocator's lock is held while the
    driver works) are read less often. `unchanged` counts the last readings in a row without a
    change.
    """

    def __init__(self, rate_hz: Callable[[], float | None]) -> None:
        self._rate_hz = rate_hz
        self._back_off_s = 0.0
        self._last: Reading | None = None
        self.unchanged = 0
        self._since_s = time.monotonic()

    def enter(self, reading: Reading) -> None:
        """Adapt to a reading: its duration, and whether it brought a change."""
        if reading.took_s > _SLOW_S:
            self.slow_down()
        else:
            self._back_off_s = self._back_off_s / 2 if self._back_off_s > _SLOW_S else 0.0
        self.unchanged = self.unchanged + 1 if _are_equal(self._last, reading) else 0
        self._last = reading

    def slow_down(self) -> None:
        """Read less often for a while, as a reading took long or failed."""
        self._back_off_s = min(_LAST_BACK_OFF_S, max(_FIRST_BACK_OFF_S, 2 * self._back_off_s))

    @property
    def seconds(self) -> float:
        """The current interval in seconds."""
        wanted_hz = max(DEFAULT_HZ, self._rate_hz() or 0.0)
        if wanted_hz < _CLOSE_HZ and self.unchanged >= _LEVEL_S * wanted_hz:
            wanted_hz = _LEVEL_HZ
        return max(1 / wanted_hz, self._back_off_s)

    def begin(self) -> None:
        """Start an interval."""
        self._since_s = time.monotonic()

    def rest_s(self) -> float:
        """Return the seconds left of the interval, and a fifth of it at least.

        Randomly varied: readings in step with a training loop would see one phase of it only.
        """
        interval_s = self.seconds * uniform(*_OFF_BEAT)  # noqa: S311  not for security
        gone_s = time.monotonic() - self._since_s
        return max(_LEAST_REST * interval_s, interval_s - gone_s)


def _are_equal(last: Reading | None, reading: Reading) -> bool:
    """Whether a framework is live and allocated and freed nothing between two readings."""
    return (
        last is not None
        and reading.state == "live"
        and last.devices == reading.devices
        and all(
            then.allocated_total_bytes == now.allocated_total_bytes
            for then, now in zip(last.devices, reading.devices, strict=True)
        )
    )
