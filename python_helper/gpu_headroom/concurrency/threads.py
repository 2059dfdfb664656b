"""Threads of our own, and locks that nobody waits for without a limit.

A debugger suspends all threads at a breakpoint, wherever each of them is, for as long as a person
looks. So ours carry the marks of a debugger's own threads, as ipykernel's do (pydevd leaves out
what carries them), and whoever shares a lock with code that may be suspended gives up in time.
"""

from __future__ import annotations

import sys
import threading
import types
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    T = TypeVar("T", bound=threading.Thread)
    R = TypeVar("R")


NAME = "gpu-headroom"
LIMIT_S = 0.05
_PLAIN = (types.FunctionType, types.MethodType)


def stay_out() -> None:
    """Raise `RuntimeError` in free-threaded Python: no thread stands still while another looks."""
    if "free-threading" in sys.version:
        raise RuntimeError(
            "GPU Headroom stays out of free-threaded Python: "
            "what it looks at could change while it looks."
        )


class NotNow(Exception):  # noqa: N818  it is no fault of anybody's
    """What was asked for cannot be had in time: who has it may be suspended."""


class Lock:
    """A lock, not reentrant, that is given up after `limit_s` seconds: that raises `NotNow`."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._lock = threading.Lock()
        self._limit_s = limit_s

    def __enter__(self) -> None:
        if not self.acquire(self._limit_s):
            raise NotNow

    def __exit__(self, *_: object) -> None:
        self.release()

    def acquire(self, limit_s: float) -> bool:
        """Take it within so many seconds; false where that was not possible."""
        return self._lock.acquire(timeout=limit_s)

    def release(self) -> None:
        """Give it back."""
        self._lock.release()


class Bell:
    """Wakes a thread that waits for it; rung twice before that, it counts once.

    No thread can be suspended while it rings one: it is one step of the interpreter, where an
    `Event` or a `Semaphore` takes a lock of its own for several.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def ring(self) -> None:
        """Wake the thread that waits, or the next one that comes to wait."""
        with suppress(RuntimeError):  # it rings already
            self._lock.release()

    def clear(self) -> None:
        """Forget that it rang."""
        self._lock.acquire(blocking=False)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until it rings; false when it did not in time."""
        return self._lock.acquire(timeout=-1 if timeout_s is None else timeout_s)


def start(call: Callable[[], Any], *, name: str = NAME) -> threading.Thread:
    """Start a daemon thread that no debugger suspends; raises `RuntimeError` where none can."""
    return _started(threading.Thread(target=_apart(call), name=name, daemon=True))


def later(delay_s: float, call: Callable[[], Any]) -> threading.Timer:
    """Call on such a thread after a while, unless it is cancelled."""
    timer = threading.Timer(delay_s, _apart(call))
    timer.name, timer.daemon = NAME, True
    return _started(timer)


def is_ours(thread: threading.Thread | None) -> bool:
    """Whether a thread was started here."""
    return thread is not None and thread.name.startswith(NAME)


# --- Profilers and tracers of the person's --------------------------------------


def _apart(call: Callable[[], R]) -> Callable[[], R]:
    """Have a thread of ours run as if no `threading.settrace` or `setprofile` were there."""

    def run() -> R:
        if _may_set_trace() and sys.gettrace() is not None:
            sys.settrace(None)
        if sys.getprofile() is not None:
            sys.setprofile(None)
        return call()

    return run


def unseen(call: Callable[..., R], *args: Any) -> R:
    """Call what is ours on a thread of the person's, whose profiler and tracer do not see it.

    They are there again, as they were, when it returns or raises. Only what Python itself can put
    back is touched: none that is written in C but `cProfile`, and no debugger that watches over
    `sys.settrace`. Theirs see this function and its return, so that their stacks stay whole.
    """
    trace, profile = sys.gettrace(), sys.getprofile()
    monitoring: Any = getattr(sys, "monitoring", None)  # since Python 3.12, on all threads at once
    is_on = monitoring is not None and monitoring.get_tool(monitoring.PROFILER_ID) == "cProfile"
    events: int = monitoring.get_events(monitoring.PROFILER_ID) if is_on else 0
    if trace is None and profile is None and not events:
        return call(*args)
    is_traced = type(trace) in _PLAIN and _may_set_trace()
    profiler: Any = getattr(sys.modules.get("_lsprof"), "Profiler", None)
    is_cprofile = profiler is not None and issubclass(type(profile), profiler)
    is_profiled = is_cprofile or type(profile) in _PLAIN
    try:
        # Called by `map`: calls out of Python code would be seen, but not that they return.
        if is_traced:
            sys.settrace(None)
        for _ in map(sys.setprofile, (None,) if is_profiled else ()):
            pass
        if events:
            for _ in map(monitoring.set_events, (monitoring.PROFILER_ID,), (0,)):
                pass
        return call(*args)
    finally:
        if events:
            with suppress(ValueError):  # another thread has ended it meanwhile
                monitoring.set_events(monitoring.PROFILER_ID, events)
        if is_cprofile:
            profiler.enable(profile)
        elif is_profiled:
            sys.setprofile(profile)
        if is_traced:
            sys.settrace(trace)


def _may_set_trace() -> bool:
    """Whether `sys.settrace` is Python's own: that of a debugger warns its user."""
    return type(sys.settrace) is types.BuiltinFunctionType


def _started(thread: T) -> T:
    vars(thread).update(pydev_do_not_trace=True, is_pydev_daemon_thread=True)
    thread.start()
    return thread
