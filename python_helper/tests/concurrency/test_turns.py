"""What a walk may take, and what it does when others are there."""

from __future__ import annotations

import gc
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.concurrency import other_threads, sliced_turn, turns
from gpu_headroom.concurrency.sliced_turn import SlicedTurn
from gpu_headroom.concurrency.turns import ConcurrentUseError, TimeLimitError, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOON_S = 10.0
ONLY_SLICE_S, ONLY_SLICE_ASKED_S = turns._ONLY_SLICE_S, turns._ONLY_SLICE_ASKED_S


@contextmanager
def waiting_thread() -> Iterator[threading.Thread]:
    """A thread of a person's that only waits."""
    done = threading.Event()

    def run() -> None:
        done.wait()

    thread = threading.Thread(target=run, name="waits", daemon=True)
    thread.start()
    _until(lambda: "waits" in other_threads.look().waiting)
    try:
        yield thread
    finally:
        done.set()
        thread.join()


def _until(condition: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + SOON_S
    while not condition():
        assert time.monotonic() < deadline_s


def spend(turn: Turn, seconds: float) -> None:
    """Use up processor time."""
    end_s = time.thread_time() + seconds
    assert turn.spent_s >= 0
    while time.thread_time() < end_s:
        pass


def test_alone_it_may_read_everything_and_takes_its_time() -> None:
    """No other thread is kept out, and the time is that of the processor."""
    turn = Turn(0.05)
    with turn.walking():
        assert turn.reads_graphs
        assert sys.getswitchinterval() < 0.1
        time.sleep(0.1)
        assert not turn.beyond(1.0)
        spend(turn, 0.06)
        assert turn.late
        with pytest.raises(TimeLimitError):
            turn.check()


@pytest.fixture
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are in a kernel."""
    monkeypatch.setattr(turns, "_ONLY_SLICE_S", ONLY_SLICE_S)
    monkeypatch.setattr(turns, "_ONLY_SLICE_ASKED_S", ONLY_SLICE_ASKED_S)


@pytest.mark.usefixtures("short_slices")
def test_beside_one_who_waits_there_is_one_slice() -> None:
    """Everything may be read; no other thread runs meanwhile, and afterwards all is as before."""
    usual_s = sys.getswitchinterval()
    with waiting_thread():
        turn = Turn(30.0)
        with turn.walking():
            assert (turn.reads_graphs, turn.company.waiting) == (True, ("waits",))
            assert sys.getswitchinterval() > usual_s
            time.sleep(0.2)
            turn.pause()
            assert turn.late
    assert sys.getswitchinterval() == usual_s


@pytest.mark.usefixtures("short_slices")
def test_no_other_thread_runs_python_in_a_slice() -> None:
    """A thread that becomes ready in it gets its turn when the slice is over."""
    times: list[float] = []
    go = threading.Event()

    def follow() -> None:
        go.wait()
        times.append(time.perf_counter())

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    _until(lambda: other_threads.look().waiting)
    turn = Turn(30.0)
    with turn.walking():
        go.set()
        while not turn.late:
            pass
        ended_s = time.perf_counter()
        assert times == []
    thread.join()
    assert times[0] >= ended_s


def test_beside_one_in_a_framework_nothing_native_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a walk begun that was not asked for."""
    company = other_threads.Company(inside=("trains",))
    monkeypatch.setattr(other_threads, "look", lambda _=(), **_own: company)
    turn = Turn(30.0)
    with turn.walking():
        assert not turn.reads_graphs
    assert turn.blocked_by is None
    assert Turn(asked=False).blocked_by == "trains"


def test_says_nothing_where_a_thread_came_that_trains(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end it is looked again."""
    walking = Turn(30.0).walking()
    walking.__enter__()
    company = other_threads.Company(inside=("trains",))
    monkeypatch.setattr(other_threads, "look", lambda _=(), **_own: company)
    with pytest.raises(ConcurrentUseError):
        walking.__exit__(None, None, None)


def test_stops_where_a_thread_comes_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a walk holds would be kept from a thread that frees it."""
    turn = Turn(30.0)
    with turn.walking():
        company = other_threads.Company(waiting=("came",))
        monkeypatch.setattr(other_threads, "look", lambda _=(), **_own: company)
        assert not turn.late
        time.sleep(0.05)
        turn.pause()
        assert turn.late


def test_what_the_main_thread_has_not_come_to_is_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A cell begins while a walk waits for the main thread: nothing is called, then or later."""
    monkeypatch.setattr(sliced_turn, "_HANDED_OVER_S", 0.0)
    calls: list[int] = []
    sliced = threading.Event()

    def work(walk: Turn) -> None:
        sliced.wait()
        walk.on_main(lambda: calls.append(1))

    turn = SlicedTurn(work, 30.0)
    assert not turn.slice()
    sliced.set()
    _until(lambda: bool(turn._calls))
    turn.abandon()
    assert turn.slice()
    assert (calls, turn.error, turn._calls) == ([], None, [])


def test_what_the_main_thread_does_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where it is interrupted from another thread meanwhile: it was done."""
    calls: list[int] = []

    def call() -> int:
        thread = threading.Thread(target=turn.abandon)
        monkeypatch.setattr(sliced_turn, "_GIVEN_UP_S", 0.0)
        thread.start()
        thread.join()
        return 1

    turn = SlicedTurn(lambda walk: calls.append(walk.on_main(call)), 30.0)
    turn.slice()
    _until(lambda: bool(calls))
    assert (calls, turn.error) == ([1], None)


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_collected_when_others_have_their_turn(*, enabled: bool) -> None:
    """Not within a slice; between two of them and after all it is as it was."""
    (gc.enable if enabled else gc.disable)()
    between: list[bool] = []

    class Watched(Turn):
        def _yield(self) -> None:
            between.append(gc.isenabled())

    try:
        turn = Watched(30.0)
        with turn.walking():
            assert not gc.isenabled()
            time.sleep(0.05)
            turn.pause()
            assert not gc.isenabled()
        assert gc.isenabled() is enabled
        assert between == [enabled]
    finally:
        gc.enable()


def test_many_objects_are_listed_only_where_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is one step for Python, and long; beside others it is not taken at all."""
    assert Turn(asked=False).lists_all
    monkeypatch.setattr(sys, "getallocatedblocks", lambda: 10**10)
    assert not Turn(asked=False).lists_all
    assert Turn(asked=True).lists_all
    with waiting_thread():
        turn = Turn(asked=True)
        with turn.walking():
            assert not turn.lists_all
