"""Time limits of a walk through the objects of a kernel, and its yielding to other work.

A walk runs on a thread of the helper while the main thread is blocked, a slice at a time between
two turns of the main thread's event loop: a cell waits for one slice at most, by which the walk has
released all objects.

Beside a thread of the user's that could run at any moment, a walk gets one slice only, in which no
other thread runs Python: then no object changes under it, and it keeps none alive that another
thread frees. Where such a thread is inside a framework, data that native code may be writing
(gradients, graphs) is not read.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from . import other_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    T = TypeVar("T")

SHORT_S = 0.5
"""Seconds of processor time of a walk that was not requested by a user."""
LONG_S = 30.0
"""The same of a walk that a user waits for, with a button to cancel it."""
SLICE_S = 0.02
"""Seconds for which the main thread is blocked at a time."""

_ONLY_SLICE_S = 0.05
_ONLY_SLICE_ASKED_S = 0.15
_BETWEEN_S = 0.001
_LISTS_UNTIL = 0.4  # of the time: listing the objects of PyTorch alone takes 0.1 s
_MANY_BLOCKS = 2_000_000  # of Python's allocator, about three per object of the gc: 0.1 s
_MOST_BLOCKS = 8_000_000  # limit without a user's request, where there is time: 0.4 s


class WalkCanceled(BaseException):
    """Raised to end a walk at once, as a cell begins or the result is not needed; do not catch."""


class TimeLimitError(Exception):
    """Raised when the time of a turn has run out before there was a result."""


class ConcurrentUseError(Exception):
    """Raised at the end of a walk if another thread was inside a framework: no result."""


class Turn:
    """The time limits of one walk, and the threads beside it; this one walks on the calling thread.

    - `cpu_s`: the limit of processor time in seconds.
    - `asked`: whether a user requested the walk.
    - `loops`: event loops whose awaiting tasks count as threads (`company`).
    - `only_slice_s`: for how many seconds other threads may be kept from running.
    - `amid_forward`: whether the calling thread is inside a framework, where it frees no graph.
    - `committed`: set by code that has done something that cannot be repeated.
    - `cancelled`: whether a user canceled the walk.
    - `was_cut`: whether the work under `limit` ran out of time.
    """

    def __init__(
        self,
        cpu_s: float = SHORT_S,
        *,
        asked: bool = True,
        loops: Iterable[Any] = (),
        only_slice_s: float | None = None,
        amid_forward: bool = False,
    ) -> None:
        self.asked = asked
        self.company = other_threads.Company()
        self.reads_graphs = False
        self.committed = False
        self.cancelled = False
        self.was_cut = False
        self._cpu_s = cpu_s
        self._loops = tuple(loops)
        self._only_slice_s = only_slice_s
        self._amid_forward = amid_forward
        self._began_s: float | None = None
        self._ends_s = self._lists_until_s = math.inf
        self._slice_ends_s = 0.0
        self._alone = False
        self._is_walking = False
        self._collects = True
        self._cut = False

    def limit(self, wall_s: float) -> None:
        """Limit all further work, not only the walk, to `wall_s` seconds of elapsed time."""
        now_s = time.perf_counter()
        self._ends_s, self._lists_until_s = now_s + wall_s, now_s + _LISTS_UNTIL * wall_s

    @property
    def over(self) -> bool:
        """Whether the time of `limit` has run out."""
        return time.perf_counter() > self._ends_s

    def ensure_time(self) -> None:
        """Raise `TimeLimitError` if the time of `limit` has run out."""
        if self.over:
            self.was_cut = True
            raise TimeLimitError

    @property
    def spent_s(self) -> float:
        """The processor time in seconds since this was first read."""
        now_s = time.thread_time()
        if self._began_s is None:
            self._began_s = now_s
        return now_s - self._began_s

    @property
    def late(self) -> bool:
        """Whether the time of the walk is spent."""
        return self.beyond(1.0)

    def beyond(self, share: float) -> bool:
        """Whether this share of the walk's time is spent."""
        if self.company.there and time.perf_counter() > self._slice_ends_s:
            self._cut = True  # there is no second slice
        return self._cut or self.spent_s > share * self._cpu_s or self.over

    @property
    def has_many(self) -> bool:
        """Whether listing all objects of the process takes noticeably long (0.1 s)."""
        return sys.getallocatedblocks() > _MANY_BLOCKS

    @property
    def lists_all(self) -> bool:
        """Whether there is time to list all objects of the process, which cannot be interrupted."""
        if not self.has_many or self.company.there:
            is_late = self.over if self.asked else time.perf_counter() > self._lists_until_s
            return not (self.has_many or is_late)
        at_leisure = self._cpu_s > SHORT_S
        return self.asked or (at_leisure and sys.getallocatedblocks() <= _MOST_BLOCKS)

    @property
    def blocked_by(self) -> str | None:
        """Name of a thread inside a framework that prevents a walk not requested by a user."""
        inside = () if self.asked else self._look().inside
        return inside[0] if inside else None

    @contextmanager
    def walking(self) -> Iterator[None]:
        """Context of a walk; `reads_graphs` then says whether gradients and graphs may be read.

        Automatic garbage collection is off inside: the walk's own allocations could start a full
        collection, which takes longer than a walk may. Raises `ConcurrentUseError` at the end if
        another thread may have changed the gradients that were read. Reentrant.
        """
        if self._is_walking:
            yield
            return
        with ExitStack() as stack:
            self._is_walking = True
            self._pause_gc()
            stack.callback(self._end)
            self.company = self._look()
            self._alone = self.company.there
            slice_s = SLICE_S
            if self._alone:
                stack.enter_context(other_threads.kept_out())
                self.company = self._look()
            self.reads_graphs = not self.company.inside
            if self.company.there:
                is_waited_for = self.reads_graphs and (self.asked or self._cpu_s > SHORT_S)
                slice_s = _ONLY_SLICE_ASKED_S if is_waited_for else _ONLY_SLICE_S
                slice_s = self._only_slice_s or slice_s
                self._cpu_s = min(self._cpu_s, self.spent_s + slice_s)
            self._slice_ends_s = time.perf_counter() + slice_s
            yield
            if self.reads_graphs and not self._alone and self._look().inside:
                raise ConcurrentUseError

    @contextmanager
    def at_a_stretch(self) -> Iterator[None]:
        """Context for listing and sorting unreferenced objects: no other thread runs Python.

        A tuple that another thread is building cannot be finished while there is another reference
        to it (bpo-15108), so none may be left when that thread continues.
        """
        if self._alone:
            yield
            return
        self.yield_main()
        with other_threads.kept_out():
            yield

    def pause(self) -> None:
        """Yield to other work if the slice is used up; to be called often.

        Raises `WalkCanceled` where the walk must end here.
        """
        if time.perf_counter() >= self._slice_ends_s and not self.company.there:
            self.yield_main()

    def check(self) -> None:
        """Yield to other work if the slice is used up; raise `TimeLimitError` if time is over."""
        self.pause()
        if self.late:
            raise TimeLimitError

    def yield_main(self) -> None:
        """Yield to other work before a long step that cannot be interrupted."""
        if self.company.there:
            return
        if self._is_walking:
            self._resume_gc()
        self._yield()
        self._slice_ends_s = time.perf_counter() + SLICE_S
        if self._is_walking:
            self._pause_gc()
            if self._look().there:
                self._company_came()

    def on_main(self, call: Callable[[], T]) -> T:
        """Call on the blocked main thread, while no other thread can free or collect objects."""
        return call()

    def _look(self) -> other_threads.Company:
        return other_threads.look(self._loops, own=not self._amid_forward)

    def _end(self) -> None:
        self._is_walking = self._alone = False
        self._resume_gc()

    def _pause_gc(self) -> None:
        self._collects = gc.isenabled()
        gc.disable()

    def _resume_gc(self) -> None:
        if self._collects:
            gc.enable()

    def _yield(self) -> None:
        time.sleep(_BETWEEN_S)

    def _company_came(self) -> None:
        self.company, self._cut = self._look(), True
