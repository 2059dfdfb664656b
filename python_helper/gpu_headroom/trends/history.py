"""The readings of a session, so that a reloaded page has a chart at once."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..protocol.generated import wire
    from ..readings.snapshot import DeviceSnapshot

KEPT_S = 300
"""So long each second is kept at least."""
OLDER_S: Final = 256
"""The length of the stretches that are kept of what is older: a power of two, as in a page."""
_STRETCHES = 113  # eight hours


class ReadingHistory:
    """Of each device the highest reading of a stretch of time, and how low it was."""

    def __init__(self) -> None:
        self._recent: dict[int, deque[wire.HistoryPoint]] = {}
        self._older: dict[int, deque[wire.HistoryPoint]] = {}

    def enter(self, snapshot: DeviceSnapshot) -> None:
        """Enter a reading, whether a cell runs or a page asked."""
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
            # Whole stretches, so that none covers what each second is kept of.
            while (recent[0]["time_s"] // OLDER_S + 1) * OLDER_S <= snapshot.time_s - KEPT_S:
                _add(older, {**recent.popleft(), "width_s": OLDER_S})

    def points(self) -> list[wire.HistoryPoint]:
        """Return what is known up to the newest reading, oldest first."""
        kept = [*self._older.copy().values(), *self._recent.copy().values()]
        points = [point for points in kept for point in points.copy()]
        return sorted(points, key=lambda point: (point["time_s"], point["device_index"]))


def _add(points: deque[wire.HistoryPoint], point: wire.HistoryPoint) -> None:
    """Add a point, which is one with the last where both are of one stretch."""
    width_s = point["width_s"]
    if points and points[-1]["time_s"] // width_s == point["time_s"] // width_s:
        last = points.pop()
        low_bytes = min(last["low_bytes"], point["low_bytes"])
        high = point if point["in_use_bytes"] >= last["in_use_bytes"] else last
        point = {**high, "low_bytes": low_bytes}
    points.append(point)
