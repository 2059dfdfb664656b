"""Thread that reads the sources while a cell runs."""

from __future__ import annotations

import threading
import time
import weakref
from functools import cache
from typing import TYPE_CHECKING, Protocol

from .. import system
from ..concurrency import threads
from .interval import Interval
from .snapshot import DeviceSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from .sources import Reading

    class Readable(Protocol):
        """Source of a sampler: all sources of the kernel."""

        def read(self, *, ticking: bool = False) -> Reading:
            """Read all values now, or with `ticking` those that may have changed."""


_EDGE_TIMEOUT_S = 0.05
_JOIN_S = 2.0
_HEARTBEAT_S = 0.8  # a little under a second, for readings off the beat
_FIRST_REST_S = 0.5
_SLICE_REST_S = 0.005
_REPEATED_S = 0.4  # between unchanged readings that are sent, and between calls of `prepare`

_samplers: weakref.WeakSet[Sampler] = weakref.WeakSet()


class Sampler:
    """Reads the sources: on its own thread while `busy()`, and on each call of `measure`.

    `prepare` does slow work, such as opening a driver; called often, on the sampler's thread, after
    a first reading. `at_rest` is called while no cell runs, until it returns false as nothing is
    left to do. A source that fails is reported to `failed` and read again later. `forked` is set in
    the copy in a forked child, where nothing may touch the GPU.
    """

    def __init__(  # noqa: PLR0913 — a source and its callbacks
        self,
        sources: Readable,
        *,
        busy: Callable[[], bool],
        rate_hz: Callable[[], float | None],
        prepare: Callable[[], None],
        at_rest: Callable[[], bool],
        measured: Callable[[DeviceSnapshot], None],
        failed: Callable[[str, BaseException], None],
    ) -> None:
        self._sources = sources
        self._busy = busy
        self._prepare = prepare
        self._at_rest = at_rest
        self._measured = measured
        self._failed = failed
        self._seq = 0
        self._told_s = 0.0
        self._interval = Interval(rate_hz)
        self._stopping = False
        self._lock = threads.Lock()
        self._news = threads.Bell()
        self._edge_wanted = False
        self._edge_read = threads.Bell()
        self._thread: threading.Thread | None = None
        self.clock: Callable[[], float] = time.time
        self.latest: DeviceSnapshot | None = None
        self.forked = False

    def start(self) -> None:
        """Start the thread; a second start does nothing."""
        if self._thread is not None:
            return
        _follow_forks()
        _samplers.add(self)
        self._stopping = False
        self._thread = threads.start(self._run)

    def stop(self) -> None:
        """End the thread and wait for it, for 2 s at most; a second stop does nothing."""
        self._stopping = True
        self._news.ring()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_S)

    def wake(self) -> None:
        """Wake the thread at a cell's start or end, or for another rate."""
        self._news.ring()

    def measure(self, timeout_s: float = 0.25, *, ticking: bool = False) -> DeviceSnapshot | None:
        """Read all sources now; return the last reading if another thread reads for too long."""
        if self.forked:
            return None
        if not self._lock.acquire(timeout_s):
            return self.latest
        try:
            reading = self._sources.read(ticking=ticking)
            self._interval.enter(reading)
            self._seq += 1
            self.latest = DeviceSnapshot(self._seq, self.clock(), *reading[:3])
        except Exception as error:  # noqa: BLE001  a source may raise what its framework raises
            self._interval.slow_down()
            self._failed("sampler", error)
            return None
        finally:
            self._lock.release()
        return self.latest

    def measure_edge(self) -> DeviceSnapshot | None:
        """Read at the start or end of a cell; return `None` where that took too long.

        The sampler's thread reads while the caller waits: a driver that hangs must not block a
        cell, and an older reading must not be taken for the state at this moment.
        """
        if self._thread is None or self.forked:
            return self.measure(_EDGE_TIMEOUT_S)
        seq = self._seq
        self._edge_wanted = True
        self._edge_read.clear()
        self._news.ring()
        in_time = self._edge_read.wait(_EDGE_TIMEOUT_S)
        latest = self.latest
        return latest if in_time and latest is not None and latest.seq > seq else None

    def _run(self) -> None:
        rest_s: float | None = _FIRST_REST_S
        prepared_s = float("-inf")
        while not self._stopping:
            is_busy = self._busy()
            is_woken = self._news.wait(self._interval.rest_s() if is_busy else rest_s)
            self._interval.begin()
            if self._edge_wanted:
                self._edge_wanted = False
                self.measure()
                self._edge_read.ring()
            elif not is_woken and (is_busy or rest_s == _FIRST_REST_S):
                self._guarded(self._tick)
            if is_woken or time.monotonic() - prepared_s >= _REPEATED_S:
                self._guarded(self._prepare)
                prepared_s = time.monotonic()
            if not self._busy():
                rest_s = _SLICE_REST_S if self._guarded(self._at_rest) else None

    def _guarded(self, call: Callable[[], bool | None]) -> bool | None:
        try:
            return call()
        except Exception as error:  # noqa: BLE001  the thread must survive any error
            self._interval.slow_down()
            self._failed("sampler", error)
            return None

    def _tick(self) -> None:
        snapshot = self.measure(ticking=True)
        now_s = time.monotonic()
        is_news = self._interval.unchanged == 0 or now_s - self._told_s >= _REPEATED_S
        if snapshot is not None and is_news and self._busy():
            self._told_s = now_s
            self._measured(snapshot)

    def become_inert(self) -> None:
        """Stop in a forked child, which has no thread and may have copies of held locks."""
        self.forked = self._stopping = True
        self._lock = threads.Lock()
        self._news = threads.Bell()
        self._thread = None


@cache
def _follow_forks() -> None:
    """Register the fork hook, once per process: hooks cannot be unregistered."""
    system.follow_forks(after_in_child=_after_fork_in_child)


def _after_fork_in_child() -> None:
    for sampler in list(_samplers):
        sampler.become_inert()


class Pace:
    """Decides whether a reading is worth sending: a change, or a heartbeat each second."""

    def __init__(self) -> None:
        self._sent: DeviceSnapshot | None = None
        self._sent_s = 0.0

    def due(self, snapshot: DeviceSnapshot, rate_hz: float, now_s: float) -> bool:
        """Return whether to send `snapshot` at a rate; if so, remember it as sent."""
        last, since_s = self._sent, now_s - self._sent_s
        if last is not None:
            same = last.state == snapshot.state and last.devices == snapshot.devices
            # Half a period early is on time, as the thread keeps its own time.
            if since_s < 0.5 / rate_hz or (same and since_s < _HEARTBEAT_S):
                return False
        self.sent(snapshot, now_s)
        return True

    def sent(self, snapshot: DeviceSnapshot, now_s: float) -> None:
        """Remember a reading that was sent for another reason."""
        self._sent, self._sent_s = snapshot, now_s
