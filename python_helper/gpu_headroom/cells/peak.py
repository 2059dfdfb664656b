"""Bounds of a run's memory peak, from the readings at its start and its end.

Peak counters are never reset, so their value may be older than the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..frameworks.view import FrameworkReading
    from ..readings.snapshot import DeviceReading


def peak_of(start: DeviceReading | None, now: DeviceReading, seen: int) -> tuple[int, int | None]:
    """Return lower and upper bound of the bytes in use at the peak; `None` is no bound.

    `seen` is the maximum of all readings; without `start` the run itself initialized the device.
    """
    before = {framework.name: framework for framework in start.frameworks} if start else {}
    bounds = [_at_most(before.pop(framework.name, None), framework) for framework in now.frameworks]
    limits = [bound for bound in bounds if bound is not None]
    most = None if before or len(limits) < len(bounds) else max(seen, sum(limits))
    counter = now.peak_in_use_bytes
    was = start.peak_in_use_bytes if start else 0
    if before or counter is None or was is None or (start and len(start.frameworks) > 1):
        return seen, most
    if counter > was:  # the peak is of this run
        seen = most = max(seen, counter)
    elif counter < was:  # the run reset it, and the counter covers the time since
        seen = max(seen, counter)
    return seen, most


def _at_most(before: FrameworkReading | None, now: FrameworkReading) -> int | None:
    """Return the most bytes that one framework can have had in use between two readings."""
    bounds = []
    counter = now.peak_in_use_bytes
    if counter is not None and counter >= ((before and before.peak_in_use_bytes) or 0):
        bounds.append(counter)
    given = _rise(before, now, "allocated_total_bytes")
    if given is not None:
        bounds.append((before.in_use_bytes if before else 0) + given)
    # Reserved memory falls only by what is returned to the GPU.
    returned = _rise(before, now, "returned_total_bytes")
    if returned is not None and now.cached_bytes is not None:
        bounds.append(now.in_use_bytes + now.cached_bytes + returned)
    return min(bounds, default=None)


def _rise(before: FrameworkReading | None, now: FrameworkReading, counter: str) -> int | None:
    """Return the rise of a counter; `None` where it is missing or was reset."""
    end, start = getattr(now, counter), getattr(before, counter) if before else 0
    return None if end is None or start is None or end < start else end - start
