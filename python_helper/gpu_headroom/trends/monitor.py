"""Wing for trends and history of the readings, and the warnings that result from them."""

from __future__ import annotations

import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from ..concurrency.threads import Lock
from ..concurrency.turns import ConcurrentUseError
from ..handlers.dispatcher import limited
from ..session.wing import Wing
from ..text.messages import message
from .growth import Accounts, collector, growth_of, suspected
from .history import ReadingHistory
from .loading import loads_model
from .trend import DeviceTrend
from .words import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from ..cells.runs import CellRun
    from ..concurrency.mainloop import Job
    from ..concurrency.turns import Turn
    from ..frameworks.torch.observer import Capture
    from ..handlers.dispatcher import Handlers
    from ..holders.account import Account
    from ..protocol.generated import requests, wire
    from ..readings.snapshot import DeviceReading, DeviceSnapshot
    from ..session.wing import Host

    Kind = Literal["filling_up", "growth", "retries", "swallowed_oom", "beyond_gpu", "host_low"]

_SOON_S = 120.0  # until full: warn below this
_IN_A_ROW = 3  # consecutive readings below that
_RETRIES = 3  # readings after the allocator had to empty its cache again
_RETRIES_S = 10.0  # minimum time between first and last: longer than the start of a training
_LITTLE = 1 / 16  # of the memory that a GPU shares with the host, left before a machine hangs
_UNSENT = 20  # warnings kept while no front end is connected
_MINUTE_S = 60


class Monitor(Wing):
    """Monitors one kernel; sends each warning once per cell run, device and kind.

    Warnings are kept while there is no lease, and sent to the next front end that connects.
    """

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.history = ReadingHistory()
        self._lock = Lock()
        self._cell: CellRun | None = None
        self._trends: dict[int, DeviceTrend] = {}
        self._shown: list[wire.Trend] = []
        self._soon: dict[int, int] = {}
        self._retries: dict[int, list[float]] = {}
        self._said: dict[tuple[Kind, int], int] = {}
        self._accounts = Accounts()
        self._unsent: deque[wire.WarningEvent] = deque(maxlen=_UNSENT)

    def handlers(self) -> Handlers:
        """Return the handler for front ends that have missed readings."""
        return {"history": self._history}

    def on_reading(self, snapshot: DeviceSnapshot) -> None:
        """Update history, trends and warnings with a reading."""
        with self._lock:
            self.history.enter(snapshot)
            run = self.host.ledger.current(snapshot)
            opened = self.host.ledger.opened
            if opened is None or run is None:
                self._send_unsent()
                return
            if opened is not self._cell:
                self._cell, self._shown = opened, []
                self._trends, self._soon, self._retries, self._said = {}, {}, {}, {}
            self._look(run, snapshot)
            self._shown = [trend.as_wire(index) for index, trend in sorted(self._trends.items())]
            self._send_unsent()

    def trends(self) -> list[wire.Trend]:
        """Return the trend of each device at the last reading; empty while no cell runs."""
        if self.host.ledger.opened is not self._cell or self._cell is None:
            return []
        return list(self._shown)

    def complete_sample(self, sample: wire.Sample, snapshot: DeviceSnapshot) -> None:  # noqa: ARG002
        """Add the trends to a sample."""
        sample["trends"] = self.trends()

    def on_cell_end(self, run: CellRun, first: Capture | None) -> None:
        """Compare a cell with its earlier runs; queue a search for the holder of growth."""
        with self._lock:
            if run.status != "oom":
                self._swallowed(run, first)
            self._compare(run)
            for (kind, index), size in self._said.items():
                if kind == "filling_up":
                    self._queue(
                        "collector", run, index, partial(self._name_collector, run, index, size)
                    )
            self._cell = None
            self._said = {}
            self._send_unsent()

    @limited("repeated")
    def _history(self, request: requests.HistoryRequest) -> wire.HistoryReply:
        return {"type": "history", "id": request["id"], "points": self.history.points()}

    # --- While a cell runs ---------------------------------------------------

    def _look(self, run: CellRun, snapshot: DeviceSnapshot) -> None:
        loading = loads_model()
        for device in snapshot.devices:
            trend = self._trends.setdefault(device.index, DeviceTrend())
            if not loading:
                trend.enter(snapshot.time_s, device)
            self._forecast(run, device.index, trend)
            self._look_beyond(run, device)
            self._count_retries(run, device.index, snapshot.time_s)

    def _forecast(self, run: CellRun, index: int, trend: DeviceTrend) -> None:
        full_in_s = trend.full_in_s
        soon = full_in_s is not None and full_in_s <= _SOON_S
        self._soon[index] = self._soon.get(index, 0) + 1 if soon else 0
        if full_in_s is None or self._soon[index] < _IN_A_ROW:
            return
        fields = trend.as_wire(index)
        remaining = _about(full_in_s)
        steps, grown = fields["full_in_steps"], fields["bytes_per_step"]
        warning = (
            message("warning.filling_up", TEXTS, growth_bytes=fields["bytes_per_s"], time=remaining)
            if steps is None or not grown
            else message(
                "warning.filling_up_steps", TEXTS, growth_bytes=grown, time=remaining, steps=steps
            )
        )
        self._say("filling_up", run, index, warning, size=trend.rise_bytes)

    def _look_beyond(self, run: CellRun, device: DeviceReading) -> None:
        """Warn if the GPU's memory is exceeded, or if the host memory it shares runs out."""
        total, free = device.capacity_bytes, device.free_bytes
        excess = next((note for note in device.notes if note["id"] == "note.beyond_gpu"), None)
        if excess is not None:
            warning = message(
                "warning.beyond_gpu", TEXTS, excess_bytes=excess["params"]["excess_bytes"]
            )
            self._say("beyond_gpu", run, device.index, warning)
        if device.shared_with_host and total and free is not None and free < _LITTLE * total:
            warning = message("warning.host_low", TEXTS, left_bytes=free, total_bytes=total)
            self._say("host_low", run, device.index, warning)

    def _count_retries(self, run: CellRun, index: int, time_s: float) -> None:
        memory = run.on(index)
        count = (memory["alloc_retries"] if memory else None) or 0
        seen = self._retries.setdefault(index, [])
        if count > len(seen):
            seen += [time_s] * (count - len(seen))
        if len(set(seen)) >= _RETRIES and seen[-1] - seen[0] >= _RETRIES_S:
            self._say("retries", run, index, message("warning.retries", TEXTS, count=count))

    # --- After a cell --------------------------------------------------------

    def _swallowed(self, run: CellRun, first: Capture | None) -> None:
        latest = self.host.sampler.latest
        for memory in run.memory:
            if memory["ooms"]:
                from .caught import said_of

                index = memory["device_index"]
                seen = first if first is not None and first.device_index == index else None
                device = None if latest is None else latest.device(index)
                warning = said_of(run, memory["ooms"], seen, device)
                self._say("swallowed_oom", run, index, warning)

    def _compare(self, run: CellRun) -> None:
        helper = self.host
        runs = helper.ledger.runs(run.key)
        growth = growth_of(runs) if runs else None
        if growth is not None:
            helper.ledger.amend(run, growth)
            if growth["runs"] == len(runs):
                index = growth["device_index"]
                self._queue("growth", run, index, partial(self._name_holder, run, growth))
            return
        for index in suspected(runs) if len(runs) > 1 else ():
            self._queue("account", run, index, partial(self._accounts.keep, run.key))

    def _queue(
        self, what: str, run: CellRun, index: int, work: Callable[[Account | None], None]
    ) -> None:
        """Queue work that needs an account, before the next cell.

        Skipped where CUDA has stopped, or another thread is inside a framework.
        """
        if self.host.cuda.stopped is not None:
            return

        def do(_: Job, turn: Turn) -> None:
            if turn.blocked_by is None:
                work(self._account(turn))

        self.host.mainloop.submit((what, run.key, index), None, do)

    def _account(self, turn: Turn) -> Account | None:
        from ..holders.account import take

        try:
            return take(self.host.shell, self.host.sampler.latest, turn)
        except ConcurrentUseError:
            return None

    def _name_holder(self, run: CellRun, growth: wire.Growth, account: Account | None) -> None:
        helper, index = self.host, growth["device_index"]
        holder = None if account is None else self._accounts.grown(run.key, index, account)
        amended = helper.ledger.amend(run, {**growth, "holder": holder})
        if amended is not None and helper.leases.any():
            helper.send(amended.as_wire(helper.helper_id))
        figures = {"growth_bytes": growth["bytes_per_run"], "runs": growth["runs"]}
        warning = (
            message("warning.growth", TEXTS, **figures)
            if holder is None
            else message("warning.growth_holder", TEXTS, **figures, name=holder)
        )
        self._say_late("growth", run, index, warning)

    def _name_collector(self, run: CellRun, index: int, size: int, account: Account | None) -> None:
        holder = None if account is None else collector(account, index, size)
        if holder is not None:
            name, held = holder
            warning = message("warning.filling_up_holder", TEXTS, name=name, held_bytes=held)
            self._say_late("filling_up", run, index, warning)

    # --- Sending warnings ----------------------------------------------------

    def _say(self, kind: Kind, run: CellRun, index: int, said: wire.Message, size: int = 0) -> None:
        """Queue a warning unless it was sent for this run."""
        if (kind, index) not in self._said:
            self._said[kind, index] = size
            self._unsent.append(self._event(kind, run, index, said))

    def _say_late(self, kind: Kind, run: CellRun, index: int, said: wire.Message) -> None:
        with self._lock:
            self._unsent.append(self._event(kind, run, index, said))
            self._send_unsent()

    def _event(self, kind: Kind, run: CellRun, index: int, said: wire.Message) -> wire.WarningEvent:
        return {
            "type": "warning",
            "helper_id": self.host.helper_id,
            "time_s": time.time(),
            "cell_id": run.cell_id,
            "kind": kind,
            "device_index": index,
            "message": said,
        }

    def _send_unsent(self) -> None:
        if self.host.leases.any():
            while self._unsent:
                self.host.send(self._unsent.popleft())


def _about(seconds: float) -> str:
    """Return a time with its precision: to 5 s below a minute, else to a minute."""
    rounded = max(5, 5 * round(seconds / 5))
    return f"{rounded} s" if rounded < _MINUTE_S else f"{round(seconds / _MINUTE_S)} min"


WING = Monitor
