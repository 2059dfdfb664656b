"""Work between cells: its order, its slices, and how it makes way for cells."""

from __future__ import annotations

import os
import signal
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.concurrency import mainloop
from gpu_headroom.concurrency.mainloop import Job, MainLoop
from gpu_headroom.concurrency.sliced_turn import SlicedTurn

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_headroom.concurrency.turns import Turn

SOON_S = 10.0


class Loop:
    """A main thread that comes round when a test says so."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], None]] = []
        self.idle = True
        self.done: list[str] = []
        self.failures: list[str] = []
        self.given_up: list[str] = []
        self.told: list[tuple[str, float]] = []
        self.queue = MainLoop(
            lambda call, _: self.calls.append(call),
            lambda: self.idle,
            lambda part, error, ids: self.failures.append(f"{part}: {error} {list(ids)}"),
            lambda job, elapsed_s: self.told.append((str(job.key), elapsed_s)),
            walk=SlicedTurn,
        )

    def once(self) -> None:
        """Run what was scheduled up to now."""
        calls, self.calls[:] = list(self.calls), []
        for call in calls:
            call()

    def turn(self) -> None:
        """Run what was scheduled, and all that comes of it."""
        deadline_s = time.monotonic() + SOON_S
        while self.calls:
            assert time.monotonic() < deadline_s
            self.once()

    def submit(self, key: str, request_id: str = "1") -> Job:
        """Queue work that leaves its key behind."""
        return self.queue.submit(key, request_id, lambda *_: self.done.append(key))

    def walk(self, key: str, refs: list[object], *, asked: bool = True) -> Job:
        """Queue work that holds on to something of its own and never ends by itself."""

        def work(_: Job, turn: Turn) -> None:
            value = Something()
            refs.append(weakref.ref(value))
            while True:
                turn.pause()

        return self.queue.submit(
            key, "1", work, asked=asked, given_up=lambda job: self.given_up.append(str(job.key))
        )


class Something:
    """What a walk may hold."""


@pytest.fixture
def loop() -> Loop:
    """An idle main thread."""
    return Loop()


def test_without_an_event_loop_nothing_waits_for_ever(loop: Loop) -> None:
    """In a terminal nothing of ours comes round between two cells."""
    loop.queue._schedule = None
    loop.submit("a")
    loop.queue.look()
    loop.queue.resume()
    assert (loop.calls, loop.done, dict(loop.queue._jobs)) == ([], [], {})


def test_runs_in_order_and_not_where_it_is_submitted(loop: Loop) -> None:
    """Nothing runs before the main thread comes round."""
    loop.submit("a")
    loop.submit("b")
    assert loop.done == []
    loop.turn()
    assert loop.done == ["a", "b"]


def test_waits_until_no_cell_runs(loop: Loop) -> None:
    """The loop may turn while a cell awaits: work stays where it is."""
    loop.idle = False
    loop.submit("a")
    loop.turn()
    assert loop.done == []
    loop.idle = True
    loop.queue.resume()
    loop.turn()
    assert loop.done == ["a"]


def test_the_same_wish_is_one_job(loop: Loop) -> None:
    """Requests for what waits already join it."""
    first, second = loop.submit("a", "1"), loop.submit("a", "2")
    assert first is second
    assert first.request_ids == ["1", "2"]
    loop.turn()
    assert loop.done == ["a"]
    assert loop.submit("a", "3").id != first.id


def test_a_job_that_waits_can_be_cancelled(loop: Loop) -> None:
    """Once; and not after it has run. One that two requests wait for is not one request's."""
    first, second = loop.submit("a"), loop.submit("b")
    assert loop.queue.cancel(first.id)
    assert not loop.queue.cancel(first.id)
    loop.turn()
    assert loop.done == ["b"]
    assert not loop.queue.cancel(second.id)
    loop.submit("c", "1")
    loop.submit("c", "2")
    assert not loop.queue.cancel_requested("1")
    loop.submit("d", "3")
    assert loop.queue.cancel_requested("3")
    loop.turn()
    assert loop.done == ["b", "c"]


def test_a_failing_job_does_not_end_the_queue(loop: Loop) -> None:
    """It is reported, and the next one runs."""

    def fail(*_: object) -> None:
        raise RuntimeError("no")

    loop.queue.submit("fails", "1", fail)
    loop.submit("works")
    loop.turn()
    assert loop.failures == ["mainloop: no ['1']"]
    assert loop.done == ["works"]


def test_calls_on_the_main_thread_what_must_be_called_there(loop: Loop) -> None:
    """What that returns and raises comes back to the walk, which is on another thread."""
    idents: list[object] = []

    def work(_: Job, turn: Turn) -> None:
        idents.append(threading.get_ident())
        idents.append(turn.on_main(threading.get_ident))
        with pytest.raises(ZeroDivisionError):
            turn.on_main(lambda: 1 // 0)

    loop.queue.submit("a", "1", work)
    loop.turn()
    walker, main = idents
    assert main == threading.get_ident() != walker


def test_a_walk_comes_back_after_each_slice(loop: Loop) -> None:
    """The main thread's event loop has its turn in between, also while nothing ends."""
    refs: list[object] = []
    loop.walk("endless", refs)
    for _ in range(5):
        began_s = time.monotonic()
        loop.once()
        assert time.monotonic() - began_s < SOON_S
        assert loop.calls
    loop.queue.interrupt()


def test_a_cell_makes_a_walk_let_go_and_begin_anew(loop: Loop) -> None:
    """Before a cell begins nothing is held any more; after it the walk is at its beginning."""
    refs: list[Any] = []
    loop.walk("endless", refs)
    loop.once()
    assert refs[0]() is not None
    loop.queue.interrupt()
    assert refs[0]() is None
    loop.queue.resume()
    loop.once()
    assert len(refs) == 2
    loop.queue.interrupt()


def test_what_is_accomplished_is_not_begun_anew(loop: Loop) -> None:
    """A release that has freed does not free again because a cell began meanwhile."""
    acts: list[int] = []

    def work(_: Job, turn: Turn) -> None:
        acts.append(1)
        turn.committed = True
        while True:
            turn.pause()

    loop.queue.submit("release", "1", work)
    loop.once()
    loop.queue.interrupt()
    loop.queue.resume()
    loop.turn()
    assert acts == [1]


def test_a_walk_that_a_person_ends_says_so(loop: Loop) -> None:
    """By its request or its own id; it is not begun anew."""
    for by_request in (False, True):
        refs: list[object] = []
        job = loop.walk("endless", refs)
        loop.once()
        assert loop.queue.cancel_requested("1") if by_request else loop.queue.cancel(job.id)
        loop.turn()
        assert (loop.given_up, loop.calls) == (["endless"], [])
        loop.given_up.clear()


def test_an_interrupt_ends_a_walk(loop: Loop) -> None:
    """Also where the kernel ignores it between cells; the handler is what it was."""
    refs: list[object] = []
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        loop.walk("endless", refs)
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        deadline_s = time.monotonic() + SOON_S
        while not loop.given_up:
            assert time.monotonic() < deadline_s
            if not timer.is_alive() and loop.calls and not loop.given_up:
                timer = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT))
                timer.start()
            loop.once()
        timer.join()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_tells_how_long_it_has_gone_on(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what a person asked for, and of nothing else."""
    monkeypatch.setattr(mainloop, "_TOLD_EVERY_S", 0.05)
    refs: list[object] = []
    loop.walk("asked", refs)
    deadline_s = time.monotonic() + SOON_S
    while len(loop.told) < 2:
        assert time.monotonic() < deadline_s
        loop.once()
    loop.queue.interrupt()
    loop.queue.cancel_requested("1")
    assert {key for key, _ in loop.told} == {"asked"}
    assert loop.told[0][1] < loop.told[1][1]
    loop.told.clear()
    loop.walk("unasked", refs, asked=False)
    ends_s = time.monotonic() + 4 * mainloop._TOLD_EVERY_S
    while time.monotonic() < ends_s:
        loop.once()
    loop.queue.interrupt()
    assert loop.told == []


def test_work_that_looks_rests_beside_a_thread(loop: Loop) -> None:
    """Each time anew, while all else goes on; alone it rests never."""
    done: list[str] = []

    def look(job: Job, turn: Turn) -> None:
        with turn.walking():
            time.sleep(0.05)
        done.append(job.request_ids[0])

    def ask(request_id: str) -> None:
        loop.queue.submit(("plan", request_id), request_id, look, rests=True)

    for request_id in ("1", "2"):
        ask(request_id)
    loop.turn()
    assert done == ["1", "2"]
    over = threading.Event()
    thread = threading.Thread(target=lambda: over.wait(SOON_S))
    thread.start()
    try:
        for request_id in ("3", "4"):
            ask(request_id)
        while len(done) < 3:
            loop.once()
        loop.once()
        loop.once()
        loop.submit("release", "5")
        while not loop.done:
            loop.once()
        assert done == ["1", "2", "3"]
        began_s = time.monotonic()
        loop.queue.finish("4")  # a page waits for this
        assert done == ["1", "2", "3", "4"]
        ask("6")
        loop.turn()
        assert done[-1] == "6"
        assert time.monotonic() - began_s > 0.15  # it has rested, however slow this machine is
    finally:
        over.set()
        thread.join()
    assert loop.failures == []


def test_a_cell_that_starts_in_between_stops_the_queue(loop: Loop) -> None:
    """Each job asks again."""

    def begin_cell(_: Job, turn: Turn) -> None:
        turn.on_main(lambda: setattr(loop, "idle", False))

    loop.queue.submit("first", "1", begin_cell)
    loop.submit("second")
    loop.turn()
    assert loop.done == []
