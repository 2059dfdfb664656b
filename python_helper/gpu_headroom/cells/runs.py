"""Ledger of cell runs: the memory change and the source of each."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field, replace
from threading import get_ident, main_thread
from typing import TYPE_CHECKING
from zlib import crc32

from ..concurrency.threads import Lock
from .peak import peak_of

if TYPE_CHECKING:
    from typing import Literal

    from ..protocol.generated import wire
    from ..readings.snapshot import DeviceReading, DeviceSnapshot

    Status = Literal["running", "ok", "error", "oom"]

_KEPT_CELLS = 200
_KEPT_RUNS = 3
_LONGEST = 10**6  # characters of a source with a checksum


def output_id(number: int | str) -> str:
    """Return the id of the value `Out[number]` in a plan and a release."""
    return f"output:{number}"


@dataclass(frozen=True, slots=True)
class CellRun:
    """One run of a cell; times in seconds since the epoch, `None` is unknown.

    `filename` is the name its code was compiled under, where that is known. `run` counts from 1.
    `path` is set for a file in the notebook's folder that is treated as a cell.
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
    path: str | None = None
    workers_bytes: int | None = None

    @property
    def key(self) -> str:
        """Id of the cell, the same for all of its runs."""
        return self.cell_id or self.path or f"In [{self.execution_count}]"

    def on(self, device_index: int) -> wire.CellMemory | None:
        """Return the memory figures for one device; `None` without any."""
        return next(
            (memory for memory in self.memory if memory["device_index"] == device_index), None
        )

    def as_wire(self, helper_id: str) -> wire.Cell:
        """Return the wire object of this run."""
        count = self.execution_count
        return {
            "type": "cell",
            "helper_id": helper_id,
            "cell_id": self.cell_id,
            "execution_count": count,
            "status": self.status,
            "start_s": self.start_s,
            "end_s": self.end_s,
            "memory": list(self.memory),
            "run": self.run,
            "growth": self.growth,
            "output_id": None if count is None else output_id(count),
            "source_crc32": None
            if len(self.source) > _LONGEST
            else crc32(self.source.encode(errors="replace")),
            "workers_bytes": self.workers_bytes,
        }


@dataclass(slots=True)
class _Open:
    """A run that has not ended; `token` identifies it at its end.

    `alone` is false where another ran at the same time: then memory cannot be assigned to either.
    """

    token: object
    run: CellRun
    start: DeviceSnapshot | None
    alone: bool
    highest: dict[int, int] = field(default_factory=dict)
    workers_before: int = 0
    workers_bytes: int | None = None


class Ledger:
    """Records cell runs; safe to read from any thread.

    Runs nest (`%%capture`, `get_ipython().run_cell`): only the outermost is a cell of the notebook.
    Those of a subshell run in parallel, on a thread of their own: each thread has its own nest, and
    `thread_id` defaults to the caller's. Peak counters are read, never reset. Writing methods may
    raise `LockTimeoutError`; reading takes no lock.
    """

    def __init__(self) -> None:
        self._writing = Lock()
        self._open: dict[int, tuple[_Open, ...]] = {}
        self._last: CellRun | None = None
        self._workers_bytes: int | None = None
        self._runs: OrderedDict[str, deque[CellRun]] = OrderedDict()

    @property
    def running(self) -> bool:
        """Whether a cell runs on any thread, awaiting ones included."""
        return bool(self._open)

    @property
    def threads(self) -> list[int]:
        """The threads on which cells run."""
        return list(self._open)

    @property
    def opened(self) -> CellRun | None:
        """The running cell as it began, always the same object; the main thread's, if any."""
        opened = self._outermost()
        return None if opened is None else opened.run

    def alone(self) -> bool:
        """Whether no other cell has run in parallel with the cell of this thread so far."""
        return all(cell.alone for cell in self._nest(None)[:1])

    def begin(
        self,
        token: object,
        run: CellRun,
        start: DeviceSnapshot | None,
        *,
        thread_id: int | None = None,
    ) -> bool:
        """Record the start of a run; return true for a cell of the notebook."""
        ident = get_ident() if thread_id is None else thread_id
        with self._writing:
            history = self._runs.get(run.key)
            count = history[-1].run + 1 if history else 1
            nest = self._open.get(ident, ())
            peers = [cell for other, nest in self._open.items() if other != ident for cell in nest]
            for other in peers:
                other.alone = False
            opened = _Open(token, replace(run, run=count), start, alone=not peers)
            opened.workers_before = self._workers_bytes or 0
            self._open[ident] = (*nest, opened)
            return not nest

    def observe(self, snapshot: DeviceSnapshot, workers_bytes: int | None = None) -> None:
        """Record a reading during runs, and the bytes that workers have in use, if any."""
        with self._writing:
            self._workers_bytes = workers_bytes
            for nest in self._open.values():
                opened, highest = nest[0], nest[0].highest
                if workers_bytes is not None:
                    more = workers_bytes - opened.workers_before
                    opened.workers_bytes = max(opened.workers_bytes or 0, more)
                for device in snapshot.devices:
                    highest[device.index] = max(highest.get(device.index, 0), device.in_use_bytes)

    def depth(self, token: object, *, thread_id: int | None = None) -> int:
        """Return the nesting depth of a run: 0 is the outermost, -1 is unknown.

        `None` is the outermost too: a canceled cell ends with it.
        """
        tokens = [cell.token for cell in self._nest(thread_id)]
        if token is None:
            return 0 if tokens else -1
        return next((depth for depth, candidate in enumerate(tokens) if candidate is token), -1)

    def end(  # noqa: PLR0913 — all data about an end
        self,
        depth: int,
        status: Status,
        execution_count: int | None,
        end_s: float,
        snapshot: DeviceSnapshot | None,
        *,
        thread_id: int | None = None,
        ran: bool = True,
    ) -> CellRun:
        """Record the end of the run at `depth` and of all that it had started; return it.

        `ran` is false for a source that Python could not parse: then the cell's former run is kept.
        """
        ident = get_ident() if thread_id is None else thread_id
        with self._writing:
            nest = self._open[ident]
            opened, outer = nest[depth], nest[:depth]
            if outer:
                self._open[ident] = outer
            else:
                del self._open[ident]
            run = replace(
                opened.run,
                status=status,
                execution_count=execution_count,
                end_s=end_s,
                memory=_memory(opened, snapshot),
                workers_bytes=opened.workers_bytes,
            )
            if depth == 0:
                self._last = run
                if ran:
                    self._keep(run)
            return run

    def current(self, snapshot: DeviceSnapshot | None = None) -> CellRun | None:
        """Return the running cell with its memory up to `snapshot`, else the last one."""
        opened = self._outermost()
        if opened is None:
            return self._last
        memory, workers_bytes = _memory(opened, snapshot), opened.workers_bytes
        return replace(opened.run, memory=memory, workers_bytes=workers_bytes)

    def cells(self) -> tuple[CellRun, ...]:
        """Return the latest run of each cell, in the order of those runs."""
        return tuple([runs[-1] for runs in list(self._runs.values()) if runs])

    def runs(self, key: str | None = None) -> list[CellRun]:
        """Return the last runs of each cell, or of one, oldest first."""
        runs = [
            run
            for cell in list(self._runs)
            if key is None or cell == key
            for run in list(self._runs.get(cell, ()))
        ]
        return sorted(runs, key=lambda cell_run: cell_run.start_s)

    def known(self, run: CellRun) -> CellRun:
        """Return the recorded version of a run, which may have been amended."""
        return next((cell_run for cell_run in self.runs(run.key) if cell_run.run == run.run), run)

    def amend(self, run: CellRun, growth: wire.Growth) -> CellRun | None:
        """Add the growth of a run after its end; return `None` where it is no longer stored."""
        amended = replace(run, growth=growth)
        with self._writing:
            runs = self._runs.get(run.key, deque())
            for place, cell_run in enumerate(runs):
                if cell_run.run == run.run:
                    runs[place] = amended
                    if self._last is cell_run:
                        self._last = amended
                    return amended
        return None

    def _nest(self, thread_id: int | None) -> tuple[_Open, ...]:
        return self._open.get(get_ident() if thread_id is None else thread_id, ())

    def _outermost(self) -> _Open | None:
        nests = self._open
        nest = nests.get(main_thread().ident or 0) or next(iter(list(nests.values())), ())
        return nest[0] if nest else None

    def _keep(self, run: CellRun) -> None:
        runs = self._runs.setdefault(run.key, deque(maxlen=_KEPT_RUNS))
        runs.append(run)
        self._runs.move_to_end(run.key)
        while len(self._runs) > _KEPT_CELLS:
            self._runs.popitem(last=False)


def _memory(opened: _Open, snapshot: DeviceSnapshot | None) -> tuple[wire.CellMemory, ...]:
    if snapshot is None or not opened.alone:
        return ()
    return tuple(
        [memory for device in snapshot.devices if (memory := _device_memory(opened, device))]
    )


def _device_memory(opened: _Open, now: DeviceReading) -> wire.CellMemory | None:
    """Return a run's memory figures for a device; `None` where no framework used it."""
    known_start = opened.start is not None
    start = opened.start.device(now.index) if opened.start else None
    if not (now.frameworks or (start and start.frameworks)):
        return None
    # A device that the cell itself initialized held nothing before.
    in_use = start.in_use_bytes if start else 0
    seen = max(opened.highest.get(now.index, 0), in_use, now.in_use_bytes)
    least, most = peak_of(start, now, seen) if known_start else (seen, None)
    return {
        "device_index": now.index,
        "change_bytes": now.in_use_bytes - in_use if known_start else None,
        "peak_bytes": least,
        "peak_at_most_bytes": most,
        "needed_bytes": least - in_use if known_start else None,
        "alloc_retries": _rise(start, now, "alloc_retries") if known_start else None,
        "ooms": _rise(start, now, "ooms") if known_start else None,
    }


def _rise(start: DeviceReading | None, now: DeviceReading, counter: str) -> int | None:
    total = _total(now, counter)
    before = _total(start, counter) if start and start.frameworks else 0
    return None if total is None or before is None else max(0, total - before)


def _total(device: DeviceReading, counter: str) -> int | None:
    values = [
        value
        for framework in device.frameworks
        if (value := getattr(framework, counter)) is not None
    ]
    return sum(values) if values else None
