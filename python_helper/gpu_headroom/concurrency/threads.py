"""Threads of our own, and locks that nobody waits for without a limit.

A debugger suspends all threads at a breakpoint, wherever each of them is, for as long as a person
looks. So ours carry the marks of a debugger's own threads, as ipykernel's do (pydevd leaves out
what carries them), and whoever shares a lock with code that may be suspended gives up in time.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    T = TypeVar("T", bound=threading.Thread)


NAME = "gpu-headroom"
LIMIT_S = 0.05


def stay_out() -> None:
    """Raise `RuntimeError` where Python is free-threaded.

    There no thread stands still while another one looks: neither what is counted nor what is
    walked is safe.
    """
    if "free-threading" in sys.version:
        raise RuntimeError(
            "GPU Headroom stays out of free-threaded Python: "
            "what it looks at could change while it looks."
        )


class NotNow(Exception):  # noqa: N818  it is no fault of anybody's
    """What was asked for cannot be had in time: who has it may be suspended."""


class Lock:
    """A lock that is given up after `limit_s` seconds: entering it then raises `NotNow`.

    Not to be entered twice by one thread.
    """

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
    return _started(threading.Thread(target=call, name=name, daemon=True))


def later(delay_s: float, call: Callable[[], Any]) -> threading.Timer:
    """Call on such a thread after a while, unless it is cancelled."""
    timer = threading.Timer(delay_s, call)
    timer.name, timer.daemon = NAME, True
    return _started(timer)


def is_ours(thread: threading.Thread | None) -> bool:
    """Whether a thread was started here."""
    return thread is not None and thread.name.startswith(NAME)


def _started(thread: T) -> T:
    vars(thread).update(pydev_do_not_trace=True, is_pydev_daemon_thread=True)
    thread.start()
    return thread
