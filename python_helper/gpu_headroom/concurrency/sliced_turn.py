"""Walk on a thread of its own, in slices during which the main thread is blocked."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from . import threads
from .turns import SHORT_S, SLICE_S, Turn, WalkCanceled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    T = TypeVar("T")

_HANDED_OVER_S = 0.05
_GIVEN_UP_S = 1.0


class SlicedTurn(Turn):
    """A walk on a thread of its own, which the main thread drives slice by slice.

    `disturbed` is set where a thread appeared that was not there at the start; with `again` that
    ends the walk, so that it can be restarted.
    """

    def __init__(
        self,
        work: Callable[[Turn], None],
        cpu_s: float = SHORT_S,
        *,
        asked: bool = False,
        again: bool = False,
        loops: Iterable[Any] = (),
    ) -> None:
        super().__init__(cpu_s, asked=asked, loops=loops)
        self._work = work
        self._again = again
        self._mine = threads.Bell()
        self._theirs = threads.Bell()
        self._calls: list[Callable[[], None]] = []
        self._ending = False
        self._walking = False
        self._thread: threading.Thread | None = None
        self.ended = False
        self.disturbed = False
        self.error: BaseException | None = None

    def slice(self) -> bool:
        """Block for one slice; return whether the walk has ended. An interrupt cancels it."""
        with _interruptible(self):
            if not self._walking:
                self._walking = True
                if self._thread is None:
                    self._thread = threads.start(self._run, name=f"{threads.NAME}-walk")
                else:
                    self._mine.ring()
            while self._theirs.wait(_HANDED_OVER_S):
                call = self._take_call()
                if call is None:
                    self._walking = False
                    break
                call()
                self._mine.ring()
        return self.ended

    def abandon(self) -> None:
        """End the walk at its current position; wait until it has released all references."""
        self._ending = True
        if self._thread is not None and not self.ended:
            self._mine.ring()
            self._thread.join(_GIVEN_UP_S)
        self.ended = True

    def cancel(self) -> None:
        """Have the walk end at its next pause; from any thread."""
        self.cancelled = self._ending = True

    def on_main(self, call: Callable[[], T]) -> T:
        """Call on the blocked main thread, while no other thread can free or collect objects."""
        result: list[T] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                result.append(call())
            except BaseException as error:  # noqa: BLE001  re-raised in the walk
                errors.append(error)

        self._calls.append(run)
        self._theirs.ring()
        while not (result or errors):
            if self._ending and self._take_call() is not None:
                raise WalkCanceled
            self._mine.wait()
        if errors:
            raise errors.pop()
        return result.pop()

    def _take_call(self) -> Callable[[], None] | None:
        """Remove and return the pending call for the main thread; `None` without one."""
        try:
            return self._calls.pop()
        except IndexError:
            return None

    def _yield(self) -> None:
        if not self._ending:
            self._theirs.ring()
            self._mine.wait()
        if self._ending:
            raise WalkCanceled

    def _company_came(self) -> None:
        if not self._again:
            super()._company_came()
            return
        self.disturbed = True
        raise WalkCanceled

    def _run(self) -> None:
        try:
            self._slice_ends_s = time.perf_counter() + SLICE_S
            self._work(self)
        except WalkCanceled:
            pass
        except BaseException as error:  # noqa: BLE001  reported by the driver of the walk
            self.error = error.with_traceback(None)
        finally:
            self.ended = True
            self._theirs.ring()


@contextmanager
def _interruptible(turn: SlicedTurn) -> Iterator[None]:
    """Make an interrupt cancel the walk: ipykernel ignores interrupts while no cell runs."""
    usual = None
    if threading.current_thread() is threading.main_thread():
        usual = signal.getsignal(signal.SIGINT)
    if usual is None:  # the handler was not set from Python, or this is another thread
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: turn.cancel())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
