"""The readings of the last minutes, so that a reloaded page has a chart at once."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocol import wire
    from ..readings.snapshot import DeviceSnapshot

KEPT_S = 300


class ReadingHistory:
    """One point per second and device: the highest reading of that second."""

    def __init__(self) -> None:
        self._points: dict[int, deque[wire.HistoryPoint]] = {}

    def enter(self, snapshot: DeviceSnapshot) -> None:
        """Enter a reading, whether a cell runs or a page asked."""
        for device in snapshot.devices:
            points = self._points.setdefault(device.index, deque(maxlen=KEPT_S))
            while points and points[-1]["time_s"] > snapshot.time_s + 1:  # the clock was set back
                points.pop()
            point: wire.HistoryPoint = {
                "time_s": snapshot.time_s,
                "device_index": device.index,
                "in_use_bytes": device.in_use_bytes,
                "cached_bytes": device.cached_bytes,
                "outside_bytes": device.outside_bytes,
            }
            if not points or int(points[-1]["time_s"]) != int(snapshot.time_s):
                points.append(point)
            elif point["in_use_bytes"] >= points[-1]["in_use_bytes"]:
                points[-1] = point

    def points(self) -> list[wire.HistoryPoint]:
        """Return the points of the last `KEPT_S` seconds up to the newest, oldest first."""
        found = [point for points in list(self._points.values()) for point in list(points)]
        newest_s = max((point["time_s"] for point in found), default=0.0)
        recent = [point for point in found if newest_s - point["time_s"] < KEPT_S]
        return sorted(recent, key=lambda point: (point["time_s"], point["device_index"]))
