"""Work for the main thread."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.mainloop import Job, MainLoop

if TYPE_CHECKING:
    from collections.abc import Callable


class Loop:
    """A main thread that comes round when a test says so."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], None]] = []
        self.idle = True
        self.done: list[str] = []
        self.failures: list[str] = []
        self.queue = MainLoop(
            self.calls.append,
            lambda: self.idle,
            lambda part, error: self.failures.append(f"{part}: {error}"),
        )

    def turn(self) -> None:
        """Run what was scheduled."""
        calls, self.calls[:] = list(self.calls), []
        for call in calls:
            call()

    def submit(self, key: str, request_id: str = "1") -> Job:
        """Queue work that leaves its key behind."""
        return self.queue.submit(key, request_id, lambda _: self.done.append(key))


@pytest.fixture
def loop() -> Loop:
    """An idle main thread."""
    return Loop()


def test_runs_on_the_main_thread_in_order(loop: Loop) -> None:
    """Nothing runs where it is submitted."""
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


def test_a_cell_that_starts_in_between_stops_the_queue(loop: Loop) -> None:
    """Each job asks again."""

    def begin_cell(_job: Job) -> None:
        loop.idle = False

    loop.queue.submit("first", "1", begin_cell)
    loop.submit("second")
    loop.turn()
    assert loop.done == []


def test_the_same_wish_is_one_job(loop: Loop) -> None:
    """Requests for what waits already join it."""
    first, second = loop.submit("a", "1"), loop.submit("a", "2")
    assert first is second
    assert first.request_ids == ["1", "2"]
    loop.turn()
    assert loop.done == ["a"]
    assert loop.submit("a", "3").id != first.id


def test_a_job_that_waits_can_be_cancelled(loop: Loop) -> None:
    """Once; and not after it has run."""
    waiting, other = loop.submit("a"), loop.submit("b")
    assert loop.queue.cancel(waiting.id)
    assert not loop.queue.cancel(waiting.id)
    loop.turn()
    assert loop.done == ["b"]
    assert not loop.queue.cancel(other.id)


def test_a_failing_job_does_not_end_the_queue(loop: Loop) -> None:
    """It is reported, and the next one runs."""

    def fail(_job: Job) -> None:
        raise RuntimeError("no")

    loop.queue.submit("fails", "1", fail)
    loop.submit("works")
    loop.turn()
    assert loop.failures == ["mainloop: no"]
    assert loop.done == ["works"]


def test_another_thread_gets_what_the_main_thread_made(loop: Loop) -> None:
    """It waits for the result, or for what was raised."""

    def fail() -> None:
        raise RuntimeError("no")

    with ThreadPoolExecutor() as others:
        made = others.submit(loop.queue.call, threading.get_ident, timeout_s=60)
        failed = others.submit(loop.queue.call, fail, timeout_s=60)
        while not (made.done() and failed.done()):
            loop.turn()
    assert made.result() == threading.get_ident()
    with pytest.raises(RuntimeError, match="no"):
        failed.result()


def test_another_thread_does_not_wait_for_a_cell(loop: Loop) -> None:
    """What it asked for is taken back."""
    loop.idle = False
    with ThreadPoolExecutor() as others:
        late = others.submit(loop.queue.call, lambda: loop.done.append("late"), timeout_s=0.01)
    assert late.result() is None
    loop.idle = True
    loop.turn()
    assert loop.done == []


def test_the_main_thread_does_not_wait_for_itself(loop: Loop) -> None:
    """It may be the one that is asked, where there is no control thread."""
    assert loop.queue.call(lambda: "done", timeout_s=60) == "done"
