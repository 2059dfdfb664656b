"""The ledger of cell runs: what each did to the memory, and its latest source."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Literal

    from . import wire
    from .snapshot import DeviceReading, Snapshot

    Status = Literal["running", "ok", "error", "oom"]

_KEPT_CELLS = 200


@dataclass(frozen=True, slots=True)
class CellRun:
    """One run of a cell; times in seconds since the epoch, `None` is not known.

    `filename` is the name its code was compiled under, where it can be known.
    """

    cell_id: str | None
    execution_count: int | None
    source: str
    filename: str | None
    start_s: float
    end_s: float | None = None
    status: Status = "running"
    memory: tuple[wire.CellMemory, ...] = ()

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
            "run": 1,
            "growth": None,
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
        self._latest: OrderedDict[str, CellRun] = OrderedDict()

    @property
    def running(self) -> bool:
        """Whether a cell runs, one that awaits included."""
        return bool(self._open)

    def begin(self, token: object, run: CellRun, start: Snapshot | None) -> bool:
        """Enter the start of a run; true when it is a cell of the notebook."""
        with self._lock:
            self._open.append(_Open(token, run, start))
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
            return tuple(self._latest.values())

    def _keep(self, run: CellRun) -> None:
        key = run.cell_id or f"In [{run.execution_count}]"
        self._latest.pop(key, None)
        self._latest[key] = run
        while len(self._latest) > _KEPT_CELLS:
            self._latest.popitem(last=False)


def _memory(opened: _Open, snapshot: Snapshot | None) -> tuple[wire.CellMemory, ...]:
    if snapshot is None:
        return ()
    start = opened.start
    return tuple(
        _device_memory(
            None if start is None else start.device(device.index),
            device,
            known_start=start is not None,
            highest=opened.highest.get(device.index, 0),
        )
        for device in snapshot.devices
    )


def _device_memory(
    start: DeviceReading | None, now: DeviceReading, *, known_start: bool, highest: int
) -> wire.CellMemory:
    # A device that the cell itself brought up held nothing before.
    in_use = start.in_use_bytes if start else 0
    peak, peak_before = _peak(now), _peak(start) if start else 0
    exact = known_start and peak is not None and peak_before is not None and peak > peak_before
    sampled = max(highest, in_use, now.in_use_bytes)
    return {
        "device_index": now.index,
        "change_bytes": now.in_use_bytes - in_use if known_start else None,
        "peak_bytes": peak if exact else sampled,
        "peak_exact": exact,
        "needed_bytes": max(0, (peak if exact and peak is not None else sampled) - in_use)
        if known_start
        else None,
        "alloc_retries": _rise(start, now, "alloc_retries") if known_start else None,
        "ooms": _rise(start, now, "ooms") if known_start else None,
    }


def _peak(device: DeviceReading) -> int | None:
    # The peaks of two allocators need not fall together, so they cannot be added.
    frameworks = device.frameworks
    return frameworks[0].peak_in_use_bytes if len(frameworks) == 1 else None


def _rise(start: DeviceReading | None, now: DeviceReading, counter: str) -> int | None:
    total = _total(now, counter)
    before = _total(start, counter) if start else 0
    return None if total is None or before is None else max(0, total - before)


def _total(device: DeviceReading, counter: str) -> int | None:
    known = [value for each in device.frameworks if (value := getattr(each, counter)) is not None]
    return sum(known) if known else None
