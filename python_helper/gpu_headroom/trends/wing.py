"""The wing of what happens over time: trends of readings, growth from run to run, warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..session.wing import Wing

if TYPE_CHECKING:
    from ..cells.runs import CellRun
    from ..frameworks.torch.observer import Capture
    from ..handlers.dispatcher import Handlers
    from ..protocol.generated import requests, wire
    from ..readings.snapshot import DeviceSnapshot
    from ..session.wing import Host
    from .monitor import Monitor


class Trends(Wing):
    """Enters readings and runs of cells into a `Monitor`, which is imported with the first."""

    at_once = frozenset({"history"})

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.monitor: Monitor | None = None

    def prepare(self) -> None:
        """Begin to watch."""
        if self.monitor is None:
            from .monitor import Monitor

            self.monitor = Monitor(self.host)

    def handlers(self) -> Handlers:
        """Return what answers a page that has missed readings."""
        return {"history": self._history}

    def on_reading(self, snapshot: DeviceSnapshot) -> None:
        """Enter a reading."""
        if self.monitor is not None:
            self.monitor.enter(snapshot)

    def on_cell_end(self, run: CellRun, first: Capture | None) -> None:
        """Compare a run with those before it."""
        if self.monitor is not None:
            self.monitor.ended(run, first)

    def complete_sample(self, sample: wire.Sample, snapshot: DeviceSnapshot) -> None:  # noqa: ARG002
        """Set the trend of each device."""
        if self.monitor is not None:
            sample["trends"] = self.monitor.trends()

    def _history(self, request: requests.HistoryRequest) -> wire.HistoryReply:
        points = [] if self.monitor is None else self.monitor.history.points()
        return {"type": "history", "id": request["id"], "points": points}


WING = Trends
