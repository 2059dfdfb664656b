"""Threads that debuggers do not suspend, and locks with a time limit.

A debugger suspends all threads at a breakpoint, for as long as the user is there. Threads of the
helper are therefore marked as a debugger's own, as ipykernel's are (pydevd skips these), and a
lock that is shared with code that may be suspended is waited for with a limit.
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
    """Raise `RuntimeError` in free-threaded Python: other threads run during an inspection."""
    if "free-threading" in sys.version:
        raise RuntimeError(
            "GPU Headroom does not run in free-threaded Python: objects could change while it "
            "reads them."
        )


class LockTimeoutError(Exception):
    """Raised where a lock is not free in time: the thread that has it may be suspended."""


class Lock:
    """A lock, not reentrant; waiting longer than `limit_s` seconds raises `LockTimeoutError`."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._lock = threading.Lock()
        self._limit_s = limit_s

    def __enter__(self) -> None:
        if not self.acquire(self._limit_s):
            raise LockTimeoutError

    def __exit__(self, *_: object) -> None:
        self.release()

    def acquire(self, limit_s: float) -> bool:
        """Acquire the lock within `limit_s` seconds; return false where that was not possible."""
        return self._lock.acquire(timeout=limit_s)

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()


class Bell:
    """Wakes a thread that waits for it; two rings before that count as one.

    No thread can be suspended while it rings a bell: that is one step of the interpreter, where
    an `Event` or a `Semaphore` holds a lock of its own for several.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def ring(self) -> None:
        """Wake the thread that waits, or the next one that does."""
        with suppress(RuntimeError):  # has rung already
            self._lock.release()

    def clear(self) -> None:
        """Discard a ring that no thread has received."""
        self._lock.acquire(blocking=False)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for a ring; return false where none came in time."""
        return self._lock.acquire(timeout=-1 if timeout_s is None else timeout_s)


def start(call: Callable[[], Any], *, name: str = NAME) -> threading.Thread:
    """Start a daemon thread that no debugger suspends; raises `RuntimeError` where none can."""
    return _started(threading.Thread(target=_apart(call), name=name, daemon=True))


def later(delay_s: float, call: Callable[[], Any]) -> threading.Timer:
    """Call on such a thread after `delay_s` seconds, unless the timer is canceled."""
    timer = threading.Timer(delay_s, _apart(call))
    timer.name, timer.daemon = NAME, True
    return _started(timer)


def is_ours(thread: threading.Thread | None) -> bool:
    """Whether a thread was started by this module."""
    return thread is not None and thread.name.startswith(NAME)


# --- Profilers and tracers of the user ------------------------------------------


def _apart(call: Callable[[], R]) -> Callable[[], R]:
    """Wrap a call so that its thread ignores `threading.settrace` and `setprofile`."""

    def run() -> R:
        if _may_set_trace() and sys.gettrace() is not None:
            sys.settrace(None)
        if sys.getprofile() is not None:
            sys.setprofile(None)
        return call()

    return run


def unseen(call: Callable[..., R], *args: Any) -> R:
    """Call a function of the helper on a user's thread, hidden from its profiler and tracer.

    Both are restored when the call returns or raises. Only those that Python can restore are
    removed: none that is written in C but `cProfile`, and no debugger that replaces
    `sys.settrace`. They see this function and its return, so that their stacks stay complete.
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
            with suppress(ValueError):  # another thread has stopped it in the meantime
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
