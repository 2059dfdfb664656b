"""The thread that reads the sources while a cell runs."""

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
        """What a sampler reads: all sources of the kernel."""

        def read(self, *, ticking: bool = False) -> Reading:
            """Read everything now, or what may have changed since the last tick."""


_EDGE_TIMEOUT_S = 0.05
_JOIN_S = 2.0
_HEARTBEAT_S = 0.8  # so that readings off the beat of a second count for it
_FIRST_REST_S = 0.5
_SLICE_REST_S = 0.005
_REPEATED_S = 0.4  # what is unchanged is told, and looked after, twice a second at most

_samplers: weakref.WeakSet[Sampler] = weakref.WeakSet()


class Sampler:
    """Reads the sources: on its own thread while `busy()`, and whenever asked.

    `prepare` does what takes long, such as opening a driver, and is called on the sampler's own
    thread, often, but not before a first reading. `at_rest` is called where no cell runs until it
    says that nothing is left to do. A source that fails is reported by `failed` and asked again
    later. `forked` tells that this is the copy in a forked child, where nothing may touch the GPU.
    """

    def __init__(  # noqa: PLR0913 — what it reads, and whom it tells
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
        """End the thread and wait for it; a second stop does nothing."""
        self._stopping = True
        self._news.ring()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_S)

    def wake(self) -> None:
        """Tell the thread of a cell's start or end, or another rate."""
        self._news.ring()

    def measure(self, timeout_s: float = 0.25, *, ticking: bool = False) -> DeviceSnapshot | None:
        """Read all sources now; the last reading where another thread is at it for long."""
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
        """Read at the start or end of a cell, or say that it was not possible in time.

        Our thread reads while the caller stands still: a driver that hangs must not hold a cell,
        and what a cell did must not be told from an older reading.
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
            heard = self._news.wait(self._interval.rest_s() if is_busy else rest_s)
            self._interval.begin()
            if self._edge_wanted:
                self._edge_wanted = False
                self.measure()
                self._edge_read.ring()
            elif not heard and (is_busy or rest_s == _FIRST_REST_S):
                self._guarded(self._tick)
            if heard or time.monotonic() - prepared_s >= _REPEATED_S:
                self._guarded(self._prepare)
                prepared_s = time.monotonic()
            if not self._busy():
                rest_s = _SLICE_REST_S if self._guarded(self._at_rest) else None

    def _guarded(self, call: Callable[[], bool | None]) -> bool | None:
        try:
            return call()
        except Exception as error:  # noqa: BLE001  the thread must outlive whatever happens
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
        """End in a forked child: locks may have been copied while held, the thread was not."""
        self.forked = self._stopping = True
        self._lock = threads.Lock()
        self._news = threads.Bell()
        self._thread = None


@cache
def _follow_forks() -> None:
    """Have forked children told, once in the life of a process: it cannot be taken back."""
    system.follow_forks(after_in_child=_after_fork_in_child)


def _after_fork_in_child() -> None:
    for sampler in list(_samplers):
        sampler.become_inert()


class Pace:
    """Decides whether a reading is worth sending: news, or a heartbeat each second."""

    def __init__(self) -> None:
        self._sent: DeviceSnapshot | None = None
        self._sent_s = 0.0

    def due(self, snapshot: DeviceSnapshot, rate_hz: float, now_s: float) -> bool:
        """Whether to send `snapshot` at a wanted rate; remembers it as sent if so."""
        last, since_s = self._sent, now_s - self._sent_s
        if last is not None:
            same = last.state == snapshot.state and last.devices == snapshot.devices
            # Half a period early is on time: the thread's clock and ours are not one.
            if since_s < 0.5 / rate_hz or (same and since_s < _HEARTBEAT_S):
                return False
        self.sent(snapshot, now_s)
        return True

    def sent(self, snapshot: DeviceSnapshot, now_s: float) -> None:
        """Remember a reading that was sent for another reason."""
        self._sent, self._sent_s = snapshot, now_s
