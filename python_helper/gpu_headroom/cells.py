"""The ledger of cell runs: what each did to the memory, and its source."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Literal

    from . import wire
    from .snapshot import DeviceReading, Snapshot

    Status = Literal["running", "ok", "error", "oom"]

_KEPT_CELLS = 200
_KEPT_RUNS = 3


@dataclass(frozen=True, slots=True)
class CellRun:
    """One run of a cell; times in seconds since the epoch, `None` is not known.

    `filename` is the name its code was compiled under, where it can be known. `run` counts
    from 1.
    """

    cell_id: str | None
    execution_count: int | None
    source: str
    filename: str | None
    start_s: float
    end_s: float | None = None
    status: Status = "running"
    memory: tuple[wire.CellMemory, ...] = ()
    run: int = 1
    growth: wire.Growth | None = None

    @property
    def key(self) -> str:
        """What tells its cell from others."""
        return self.cell_id or f"In [{self.execution_count}]"

    def on(self, device_index: int) -> wire.CellMemory | None:
        """Return what it did to one device."""
        return next((each for each in self.memory if each["device_index"] == device_index), None)

    def as_wire(self, life_id: str) -> wire.Cell:
        """Return this run as it travels."""
        return {
            "type": "cell",
            "life_id": life_id,
            "cell_id": self.cell_id,
            "execution_count": self.execution_count,
            "status": self.status,
            "start_s": self.start_s,
            "end_s": self.end_s,
            "memory": list(self.memory),
            "run": self.run,
            "growth": self.growth,
        }


@dataclass(slots=True)
class _Open:
    """A run that has not ended: `token` is what its end will be told by."""

    token: object
    run: CellRun
    start: Snapshot | None
    highest: dict[int, int] = field(default_factory=dict)


class Ledger:
    """Keeps account of cell runs; safe to read from any thread.

    Runs nest (`%%capture`, `get_ipython().run_cell`): only the outermost is a cell
    of the notebook. Peak counters are read, never reset.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[_Open] = []
        self._last: CellRun | None = None
        self._runs: OrderedDict[str, deque[CellRun]] = OrderedDict()

    @property
    def running(self) -> bool:
        """Whether a cell runs, one that awaits included."""
        return bool(self._open)

    @property
    def opened(self) -> CellRun | None:
        """The running cell as it began: the same object all along."""
        opened = self._open[:1]
        return opened[0].run if opened else None

    def begin(self, token: object, run: CellRun, start: Snapshot | None) -> bool:
        """Enter the start of a run; true when it is a cell of the notebook."""
        with self._lock:
            known = self._runs.get(run.key)
            count = known[-1].run + 1 if known else 1
            self._open.append(_Open(token, replace(run, run=count), start))
            return len(self._open) == 1

    def observe(self, snapshot: Snapshot) -> None:
        """Enter a reading made meanwhile."""
        with self._lock:
            if self._open:
                highest = self._open[0].highest
                for device in snapshot.devices:
                    highest[device.index] = max(highest.get(device.index, 0), device.in_use_bytes)

    def depth(self, token: object) -> int:
        """How deep a run is nested: 0 is the outermost, -1 is none of ours.

        `None` is the outermost too: that is what a cancelled cell ends with.
        """
        tokens = [each.token for each in self._open]
        if token is None:
            return 0 if tokens else -1
        return next((depth for depth, each in enumerate(tokens) if each is token), -1)

    def end(
        self,
        depth: int,
        status: Status,
        execution_count: int | None,
        end_s: float,
        snapshot: Snapshot | None,
    ) -> CellRun:
        """Enter the end of the run at `depth` and of all that it had started."""
        with self._lock:
            opened = self._open[depth]
            del self._open[depth:]
            run = replace(
                opened.run,
                status=status,
                execution_count=execution_count,
                end_s=end_s,
                memory=_memory(opened, snapshot),
            )
            if depth == 0:
                self._last = run
                self._keep(run)
            return run

    def current(self, snapshot: Snapshot | None = None) -> CellRun | None:
        """Return the running cell with its memory up to `snapshot`, else the last one."""
        with self._lock:
            if not self._open:
                return self._last
            return replace(self._open[0].run, memory=_memory(self._open[0], snapshot))

    def cells(self) -> tuple[CellRun, ...]:
        """Return the latest run of each cell, the one that ran last at the end."""
        with self._lock:
            return tuple([runs[-1] for runs in self._runs.values()])

    def runs(self, key: str | None = None) -> list[CellRun]:
        """Return the last runs of each cell, or of one, oldest first."""
        with self._lock:
            found = [
                run
                for cell, runs in self._runs.items()
                if key is None or cell == key
                for run in runs
            ]
        return sorted(found, key=lambda each: each.start_s)

    def amend(self, run: CellRun, growth: wire.Growth) -> CellRun | None:
        """Enter what became known of a run after its end; `None` where it is forgotten."""
        amended = replace(run, growth=growth)
        with self._lock:
            runs = self._runs.get(run.key, deque())
            for place, each in enumerate(runs):
                if each.run == run.run:
                    runs[place] = amended
                    if self._last is each:
                        self._last = amended
                    return amended
        return None

    def _keep(self, run: CellRun) -> None:
        runs = self._runs.pop(run.key, None) or deque(maxlen=_KEPT_RUNS)
        runs.append(run)
        self._runs[run.key] = runs
        while len(self._runs) > _KEPT_CELLS:
            self._runs.popitem(last=False)


def _memory(opened: _Open, snapshot: Snapshot | None) -> tuple[wire.CellMemory, ...]:
    if snapshot is None:
        return ()
    start = opened.start
    devices = [
        (None if start is None else start.device(each.index), each) for each in snapshot.devices
    ]
    return tuple(
        [
            _device_memory(
                before, now, known_start=start is not None, highest=opened.highest.get(now.index, 0)
            )
            for before, now in devices
            if now.frameworks or (before is not None and before.frameworks)
        ]
    )


def _device_memory(
    start: DeviceReading | None, now: DeviceReading, *, known_start: bool, highest: int
) -> wire.CellMemory:
    # A device that the cell itself brought up held nothing before.
    in_use = start.in_use_bytes if start else 0
    before, counter = _peak_before(start, now), now.peak_in_use_bytes
    exact = known_start and counter is not None and before is not None and counter > before
    peak = max(highest, in_use, now.in_use_bytes)
    if counter is not None and (exact or (before is not None and counter < before)):
        # Rose: it is the cell's own. Fell: the cell reset it, and it has seen the time since.
        peak = max(peak, counter)
    return {
        "device_index": now.index,
        "change_bytes": now.in_use_bytes - in_use if known_start else None,
        "peak_bytes": peak,
        "peak_exact": exact,
        "needed_bytes": peak - in_use if known_start else None,
        "alloc_retries": _rise(start, now, "alloc_retries") if known_start else None,
        "ooms": _rise(start, now, "ooms") if known_start else None,
    }


def _peak_before(start: DeviceReading | None, now: DeviceReading) -> int | None:
    """Return the peak counter at the start; `None` where it was another framework's."""
    if start is None or not start.frameworks:
        return 0
    same = [each.name for each in start.frameworks] == [each.name for each in now.frameworks]
    return start.peak_in_use_bytes if same else None


def _rise(start: DeviceReading | None, now: DeviceReading, counter: str) -> int | None:
    total = _total(now, counter)
    before = _total(start, counter) if start and start.frameworks else 0
    return None if total is None or before is None else max(0, total - before)


def _total(device: DeviceReading, counter: str) -> int | None:
    known = [value for each in device.frameworks if (value := getattr(each, counter)) is not None]
    return sum(known) if known else None
