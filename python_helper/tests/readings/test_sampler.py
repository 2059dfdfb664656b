"""The sampling thread."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.frameworks.view import FrameworkReading
from gpu_headroom.readings.interval import Interval
from gpu_headroom.readings.sampler import Pace, Sampler
from gpu_headroom.readings.snapshot import DeviceReading, DeviceSnapshot, HostReading
from gpu_headroom.readings.sources import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOON_S = 5.0


class Gpu:
    """Sources of one device whose bytes and mood a test decides."""

    def __init__(self) -> None:
        self.in_use = 0
        self.reads = 0
        self.prepared_by: set[str] = set()
        self.mood: Callable[[], None] = lambda: None

    def prepare(self) -> None:
        """Remember who did the slow part."""
        self.prepared_by.add(threading.current_thread().name)

    def read(self, *, ticking: bool = False) -> Reading:
        """Read once, in whatever mood."""
        del ticking
        self.reads += 1
        start_s = time.perf_counter()
        self.mood()
        took_s = time.perf_counter() - start_s
        framework = FrameworkReading("torch", self.in_use, 0, None, None, None)
        device = DeviceReading(0, frameworks=(framework,))
        return Reading("live", (device,), HostReading(1, 2, 3), took_s)


class Bench:
    """A sampler with what it measured and complained about."""

    def __init__(self, rate_hz: float | None = 100.0) -> None:
        self.gpu = Gpu()
        self.busy = False
        self.measured: list[DeviceSnapshot] = []
        self.failures: list[str] = []
        self.work = 0
        self.news = threading.Semaphore(0)
        self.sampler = Sampler(
            self.gpu,
            busy=lambda: self.busy,
            rate_hz=lambda: rate_hz,
            prepare=self.gpu.prepare,
            at_rest=self._work,
            measured=self._measured,
            failed=self._failed,
        )

    def _work(self) -> bool:
        self.work -= self.work > 0
        return self.work > 0

    def _measured(self, snapshot: DeviceSnapshot) -> None:
        self.measured.append(snapshot)
        self.news.release()

    def _failed(self, part: str, error: BaseException) -> None:
        self.failures.append(f"{part}: {error}")
        self.news.release()

    def run_cell(self) -> None:
        """Begin a cell, as the cell hooks do."""
        self.busy = True
        self.sampler.wake()


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A sampler that has started."""
    bench = Bench()
    bench.sampler.start()
    yield bench
    bench.sampler.stop()


def test_measures_while_a_cell_runs(bench: Bench) -> None:
    """The thread reads as soon as a cell runs, and numbers what it reads."""
    bench.run_cell()
    assert bench.news.acquire(timeout=SOON_S)
    assert bench.news.acquire(timeout=SOON_S)
    assert bench.measured[1].seq > bench.measured[0].seq


def test_rests_when_no_cell_runs(bench: Bench) -> None:
    """At rest nothing is read."""
    assert not bench.news.acquire(timeout=0.2)
    assert bench.gpu.reads == 0


def test_work_that_can_wait_is_done_at_rest(bench: Bench) -> None:
    """A part at a time, given up while a cell runs, and gone on with after it."""
    bench.work = 1000
    bench.sampler.wake()
    _until(lambda: bench.work < 1000)
    bench.run_cell()
    assert bench.news.acquire(timeout=SOON_S)
    rest = bench.work
    assert bench.news.acquire(timeout=SOON_S)
    assert bench.work == rest > 0
    bench.work, bench.busy = 5, False
    bench.sampler.wake()
    _until(lambda: bench.work == 0)
    assert bench.failures == []


def _until(condition: Callable[[], bool]) -> None:
    """Wait for what another thread does; fails where it does not."""
    end_s = time.monotonic() + SOON_S
    while not condition():
        assert time.monotonic() < end_s
        time.sleep(0.01)


def test_survives_a_failing_source(bench: Bench) -> None:
    """A source that raises is reported, and read again later."""

    def raise_once() -> None:
        bench.gpu.mood = lambda: None
        raise RuntimeError("driver is gone")

    bench.gpu.mood = raise_once
    bench.run_cell()
    assert bench.news.acquire(timeout=SOON_S)
    assert bench.failures == ["sampler: driver is gone"]
    assert bench.news.acquire(timeout=SOON_S)
    assert bench.measured


def test_stop_joins_and_may_be_repeated(bench: Bench) -> None:
    """After stop no thread is left, and stopping again is harmless."""
    thread = bench.sampler._thread
    assert thread is not None
    bench.sampler.stop()
    bench.sampler.stop()
    assert not thread.is_alive()


def test_asks_a_slow_source_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that takes long doubles the pause, up to a limit; fast ones shorten it again."""
    bench = Bench()
    clock = iter([0, 0.1] * 4 + [0, 0.001] * 20)
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    pauses = []
    for _ in range(24):
        bench.sampler.measure()
        pauses.append(bench.sampler._interval.seconds)
    assert pauses[:4] == [1.0, 2.0, 4.0, 5.0]
    assert pauses[-1] == 1 / 100


def test_rests_longer_while_nothing_changes() -> None:
    """Equal readings make it longer, by less than a page takes for stale; a new one ends that."""
    bench = Bench(rate_hz=2.0)
    pauses = []
    for in_use in (1, *[2] * 8, 3):
        bench.gpu.in_use = in_use
        bench.sampler.measure()
        pauses.append(bench.sampler._interval.seconds)
    assert pauses == [0.5] * 7 + [1.5] * 2 + [0.5]


def test_without_a_framework_the_pause_stays_short() -> None:
    """What starts CUDA may come at any moment, and has to be seen before it fails."""
    interval = Interval(lambda: None)
    for _ in range(20):
        interval.enter(Reading("not_initialised", (), None))
    assert interval.seconds == 0.5


def test_the_edge_of_a_cell_does_not_wait_for_a_slow_source(bench: Bench) -> None:
    """A driver that hangs holds our thread; the cell goes on without a reading of its edge."""
    hangs = threading.Event()
    assert bench.sampler.measure_edge() is not None

    waits: list[bool] = []

    def hang() -> None:
        waits.append(hangs.wait(SOON_S))

    bench.gpu.mood = hang
    bench.run_cell()
    assert bench.sampler.measure_edge() is None
    assert waits == []
    hangs.set()


def test_the_edge_of_a_cell_is_read_anew(bench: Bench) -> None:
    """What a cell did must not be told from an older reading."""
    for in_use in range(5):
        bench.gpu.in_use = in_use
        snapshot = bench.sampler.measure_edge()
        assert snapshot is not None
        assert snapshot.devices[0].in_use_bytes == in_use


def test_measure_gives_the_last_reading_while_another_is_at_it() -> None:
    """A request is never kept waiting by a reading that hangs."""
    bench = Bench()
    last = bench.sampler.measure()
    with bench.sampler._lock:
        assert bench.sampler.measure(timeout_s=0.01) is last


def test_is_inert_in_a_forked_child() -> None:
    """The copy in a child reads nothing, even where a lock was copied while held."""
    bench = Bench()
    bench.sampler._lock.acquire(1.0)
    bench.sampler.become_inert()
    assert bench.sampler.forked
    assert bench.sampler.measure() is None
    assert bench.gpu.reads == 0


def snapshot(in_use: int) -> DeviceSnapshot:
    """A reading with so many bytes in use."""
    gpu = Gpu()
    gpu.in_use = in_use
    return DeviceSnapshot(1, 0.0, "live", gpu.read().devices)


def test_pace_sends_news_at_the_wanted_rate() -> None:
    """What changed is sent, no faster than wanted."""
    pace = Pace()
    assert pace.due(snapshot(1), 2.0, 10.0)
    assert not pace.due(snapshot(2), 2.0, 10.1)
    assert pace.due(snapshot(2), 2.0, 10.5)


def test_pace_repeats_what_is_unchanged_each_second() -> None:
    """Silence would look like a kernel that hangs."""
    pace = Pace()
    assert pace.due(snapshot(1), 10.0, 10.0)
    assert not pace.due(snapshot(1), 10.0, 10.7)
    assert pace.due(snapshot(1), 10.0, 11.0)


def test_survives_a_failing_listener() -> None:
    """An error in what is done with a reading does not end the thread."""
    bench = Bench()
    listen = bench.sampler._measured
    errors = [RuntimeError("channel is gone")]

    def fail_once(snapshot: DeviceSnapshot) -> None:
        if errors:
            raise errors.pop()
        listen(snapshot)

    bench.sampler._measured = fail_once
    bench.sampler.start()
    bench.run_cell()
    assert bench.news.acquire(timeout=SOON_S)
    assert bench.failures == ["sampler: channel is gone"]
    assert bench.news.acquire(timeout=SOON_S)
    assert bench.measured
    bench.sampler.stop()
