"""Readings of a session, so that a reloaded front end has a chart at once."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..protocol.generated import wire
    from ..readings.snapshot import DeviceSnapshot

KEPT_S = 300
"""Seconds for which readings are kept second by second, at least."""
OLDER_S: Final = 256
"""Seconds per point of older readings: a power of two, as in the front end."""
_STRETCHES = 113  # eight hours


class ReadingHistory:
    """For each device and interval, the highest reading, and the lowest use."""

    def __init__(self) -> None:
        self._recent: dict[int, deque[wire.HistoryPoint]] = {}
        self._older: dict[int, deque[wire.HistoryPoint]] = {}

    def enter(self, snapshot: DeviceSnapshot) -> None:
        """Add a reading, of a running cell or requested by a front end."""
        for device in snapshot.devices:
            recent = self._recent.setdefault(device.index, deque())
            older = self._older.setdefault(device.index, deque(maxlen=_STRETCHES))
            for points in (recent, older):
                while points and points[-1]["time_s"] > snapshot.time_s + 1:  # a clock set back
                    points.pop()
            _add(
                recent,
                {
                    "time_s": snapshot.time_s,
                    "device_index": device.index,
                    "in_use_bytes": device.in_use_bytes,
                    "cached_bytes": device.cached_bytes,
                    "outside_bytes": device.outside_bytes,
                    "width_s": 1,
                    "low_bytes": device.in_use_bytes + (device.outside_bytes or 0),
                },
            )
            # Whole intervals, so that none overlaps the points kept second by second.
            while (recent[0]["time_s"] // OLDER_S + 1) * OLDER_S <= snapshot.time_s - KEPT_S:
                _add(older, {**recent.popleft(), "width_s": OLDER_S})

    def points(self) -> list[wire.HistoryPoint]:
        """Return all points up to the newest reading, oldest first."""
        series = [*self._older.copy().values(), *self._recent.copy().values()]
        points = [point for points in series for point in points.copy()]
        return sorted(points, key=lambda point: (point["time_s"], point["device_index"]))


def _add(points: deque[wire.HistoryPoint], point: wire.HistoryPoint) -> None:
    """Add a point; merge it with the last one where both are of one interval."""
    width_s = point["width_s"]
    if points and points[-1]["time_s"] // width_s == point["time_s"] // width_s:
        last = points.pop()
        low_bytes = min(last["low_bytes"], point["low_bytes"])
        high = point if point["in_use_bytes"] >= last["in_use_bytes"] else last
        point = {**high, "low_bytes": low_bytes}
    points.append(point)
