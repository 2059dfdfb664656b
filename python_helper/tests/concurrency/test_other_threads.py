"""What is told of other threads, by their frames alone."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import Queue
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.concurrency import other_threads, threads
from gpu_headroom.concurrency.other_threads import look

if TYPE_CHECKING:
    from collections.abc import Iterator

SOON_S = 10.0
NAME = "theirs"


def module(name: str, source: str, file: str = "/home/somebody/cell.py") -> dict[str, Any]:
    """Return the namespace of a module with this source."""
    space = {"__name__": name, "stop": threading.Event(), "queue": Queue(), "stopped": []}
    exec(compile(source, file, "exec"), space)  # noqa: S102  as a kernel does
    return space


def settled(expected: str) -> bool:
    """Wait until a thread of ours is seen as expected, and see it so for a while.

    Who wakes up now and then may be found awake now and then.
    """
    deadline_s = time.monotonic() + SOON_S
    while NAME not in getattr(look(), expected):
        if time.monotonic() > deadline_s:
            return False
    return sum(NAME in getattr(look(), expected) for _ in range(50)) >= 45


@contextmanager
def running(space: dict[str, Any]) -> Iterator[None]:
    """Run the work of a module in a thread of a person's."""
    thread = threading.Thread(target=space["work"], name=NAME, daemon=True)
    thread.start()
    try:
        yield
    finally:
        space["stop"].set()
        space["stopped"].append(True)
        space["queue"].put(None)
        thread.join()


WAITING = {
    "for an event": "def work(): stop.wait()",
    "for a queue": "def work(): queue.get()",
    "asleep": "import time\ndef work():\n    while not stop.is_set(): time.sleep(0.05)",
    # Python makes the call another one where it is made often.
    "asleep again and again": "import time\ndef nap(length_s): time.sleep(length_s)\n"
    "def work():\n    for _ in range(100): nap(0)\n    while not stop.is_set(): nap(0.05)",
    "for a lock": "import threading\nlock = threading.Condition()\ndef work():\n"
    "    with lock:\n        while not stop.is_set(): lock.wait(0.05)",
}
INSIDE = {
    "computes": "def work():\n    n = 0\n    while not stopped: n += 1",
    "calls what is not known": "def work():\n    f = list(range(10**6)).sort\n"
    "    while not stopped: f()",
}


@pytest.mark.parametrize("how", WAITING)
def test_a_thread_that_waits_is_outside_of_frameworks(how: str) -> None:
    """In the standard library's code, or in a function of its that is called in C."""
    if how.startswith("asleep") and sys.version_info < (3, 11):
        pytest.skip("the place of a call in the source is kept since Python 3.11")
    space = module("__main__", WAITING[how])
    with running(space):
        assert settled("waiting")
        # At one of these looks: who has just woken up computes, and is inside for that moment.
        assert any(NAME not in look().inside for _ in range(5))


@pytest.mark.parametrize("how", INSIDE)
def test_a_thread_that_computes_may_be_inside(how: str) -> None:
    """An operator may be PyTorch's: a function that has one leaves no frame of PyTorch's."""
    space = module("__main__", INSIDE[how])
    with running(space):
        assert settled("inside")


@pytest.mark.parametrize("framework", ["torch.nn", "jax._src.api", "tensorflow", "cupy"])
def test_a_thread_in_a_framework_is_inside_also_while_it_waits(framework: str) -> None:
    """Its frames say so, wherever in it they are."""
    space = module(framework, "def work(): stop.wait()", "/lib/python3/site-packages/x.py")
    with running(space):
        assert settled("inside")


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("tqdm._monitor", "def work(): stop.wait()"),
        ("wandb.sdk", "def work():\n    while not stop.is_set(): pass"),
        ("torch.utils.data._utils.pin_memory", "def work(): stop.wait()"),
        ("torch.multiprocessing.reductions", "def work(): stop.wait()"),
    ],
)
def test_what_libraries_do_by_themselves_is_no_company(name: str, source: str) -> None:
    """A progress bar's monitor, a logger, the loop that pins memory: none has graphs."""
    space = module(name, source, "/lib/python3/site-packages/x.py")
    with running(space):
        time.sleep(0.05)
        assert all(NAME not in (*look().inside, *look().waiting) for _ in range(50))


def test_a_thread_that_serves_does_so_in_whatever_it_calls() -> None:
    """What pins memory takes it out of a queue by functions of PyTorch's."""
    file = "/lib/python3/site-packages/x.py"
    calls = module("torch.storage", "def call(stop): stop.wait()", file)["call"]
    space = module("torch.utils.data._utils.pin_memory", "def work(): call(stop)", file)
    space["call"] = calls
    with running(space):
        time.sleep(0.05)
        assert all(NAME not in (*look().inside, *look().waiting) for _ in range(50))


def test_a_library_that_knows_a_framework_may_be_inside_it() -> None:
    """It may call an operator of PyTorch's without a frame of PyTorch's."""
    space = module("trainer", INSIDE["computes"], "/x/site-packages/x.py")
    space["torch"] = ModuleType("torch")
    with running(space):
        assert settled("inside")


def test_what_runs_a_thread_is_not_what_it_does() -> None:
    """The simulated GPU runs each thread under its modes, and knows PyTorch: a monitor does not."""
    space = module("tqdm._monitor", "def wait(): stop.wait()", "/lib/python3/site-packages/x.py")
    runs = module("gpu_simulator.modes", "def work(): wait()")
    runs |= {"wait": space["wait"], "torch": ModuleType("torch")}
    space["work"] = runs["work"]
    with running(space):
        time.sleep(0.05)
        assert all(NAME not in (*look().inside, *look().waiting) for _ in range(50))


def test_what_may_wake_up_with_code_of_theirs_waits() -> None:
    """A timer, and a task of a thread's loop; not a loop or a worker without work."""
    before = look()
    timer = threading.Timer(60, print)
    timer.name, timer.daemon = NAME, True
    timer.start()
    assert settled("waiting")
    timer.cancel()
    timer.join()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name=NAME, daemon=True)
    thread.start()
    time.sleep(0.05)
    assert look() == before
    work = module("__main__", "async def work(it): await it")["work"]
    task = asyncio.run_coroutine_threadsafe(work(asyncio.sleep(60)), loop)
    assert settled("waiting")
    task.cancel()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
    with ThreadPoolExecutor(1, thread_name_prefix=NAME) as pool:
        pool.submit(int).result()
        assert look() == before


def test_tasks_that_await_are_company() -> None:
    """One of a person's waits; one inside a framework is inside; the kernel's own is neither."""
    cells = module("__main__", "async def work(it): await it")["work"]
    frameworks = module("torch.futures", "async def work(it): await it")["work"]
    kernels = module("ipykernel.kernelbase", "async def work(it): await it")["work"]

    async def main() -> None:
        loop = asyncio.get_running_loop()
        ends = loop.create_future()
        tasks = [
            loop.create_task(cells(ends), name="theirs"),
            loop.create_task(cells(frameworks(ends)), name="inside"),
            loop.create_task(kernels(ends), name="kernel's"),
        ]
        await asyncio.sleep(0)
        company = look([loop])
        assert {"theirs"} <= set(company.waiting)
        assert "inside" in company.inside
        assert "kernel's" not in (*company.waiting, *company.inside)
        ends.set_result(None)
        await asyncio.wait(tasks)

    asyncio.run(main())


def test_called_from_inside_a_framework_it_says_so() -> None:
    """A hook of a backward pass is no place to look at graphs from."""
    space = module("torch.autograd.graph", "def run(hook): return hook()")
    assert look().inside == ()
    assert space["run"](look).inside == (threading.current_thread().name,)


def test_threads_of_ours_are_no_company() -> None:
    """Neither the sampler nor the walk."""
    done = threading.Event()
    workers = [threads.start(done.wait), threads.start(done.wait, name=f"{threads.NAME}-walk")]
    assert look() == other_threads.Company()
    done.set()
    for thread in workers:
        thread.join()
