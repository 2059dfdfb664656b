"""What a walk through the objects of a kernel may take, and how it makes way for others.

It runs on a thread of ours while the main thread stands still, a slice at a time between two turns
of that one's event loop: a cell waits for one slice at most, and the walk has let go of everything.

Beside a thread of the person's that could go on at any moment it gets one slice only, in which
nobody else runs Python: nothing changes under it, nor does it keep what another frees. Where such a
thread is inside a framework, what native code may be writing (gradients, graphs) is not read.
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
"""Processor time of a walk that nobody has asked for."""
LONG_S = 30.0
"""The same of one that somebody waits for, with a button to end it."""
SLICE_S = 0.02
"""How long the main thread stands still at a time."""

_ONLY_SLICE_S = 0.05
_ONLY_SLICE_ASKED_S = 0.15
_BETWEEN_S = 0.001
_LISTS_UNTIL = 0.4  # of the time there is: to list the objects of PyTorch alone takes 0.1 s
_MANY_BLOCKS = 2_000_000  # of Python's allocator, about three to an object of the gc's: 0.1 s
_MOST_BLOCKS = 8_000_000  # where nobody asked, but there is time: 0.4 s


class Abandoned(BaseException):
    """A walk ends at once: a cell begins, or nobody wants it any more. Not for others to catch."""


class Late(Exception):  # noqa: N818  an answer, not a failure
    """The time of a turn was over before there was a result."""


class Disturbed(Exception):  # noqa: N818  an answer, not a failure
    """Another thread was inside a framework when a walk had come to its end: it says nothing."""


class Turn:
    """The time and the company of one walk; this one walks on the calling thread.

    `cpu_s` is the processor time there is; `asked` tells that a person asked for the walk. Tasks
    that await in `loops` are company as threads are. `committed` is set by who has done what cannot
    be begun anew. `cancelled` tells that a person ended it. `only_slice_s` is how long others may
    be kept out; `amid_forward`: the calling thread is inside a framework, where it frees no graph.
    `was_cut`: what the walk is a part of did not come to its end in the time of `limit`.
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
        self._ends_s = math.inf
        self._slice_ends_s = 0.0
        self._alone = False
        self._is_walking = False
        self._collects = True
        self._cut = False

    def limit(self, wall_s: float) -> None:
        """Limit all work from now on, not only the walk, on the clock; so also processor time."""
        self._ends_s = time.perf_counter() + wall_s

    @property
    def over(self) -> bool:
        """Whether the time of the limit is over."""
        return time.perf_counter() > self._ends_s

    def ensure_time(self) -> None:
        """Raise `Late` where the time of the limit is over."""
        if self.over:
            self.was_cut = True
            raise Late

    @property
    def spent_s(self) -> float:
        """The processor time since the first look at the clock."""
        now_s = time.thread_time()
        if self._began_s is None:
            self._began_s = now_s
        return now_s - self._began_s

    @property
    def late(self) -> bool:
        """Whether the time there is has been spent."""
        return self.beyond(1.0)

    def beyond(self, share: float) -> bool:
        """Whether so much of the time there is has been spent."""
        if self.company.there and time.perf_counter() > self._slice_ends_s:
            self._cut = True  # there is no second slice
        return self._cut or self.spent_s > share * self._cpu_s or self.over

    @property
    def has_many(self) -> bool:
        """Whether to list all objects of the process takes longer than nobody would notice."""
        return sys.getallocatedblocks() > _MANY_BLOCKS

    @property
    def lists_all(self) -> bool:
        """Whether there is time to list all objects of the process, which is done at a stretch."""
        if not self.has_many or self.company.there:
            is_late = self.over if self.asked else self.beyond(_LISTS_UNTIL)
            return not (self.has_many or is_late)
        at_leisure = self._cpu_s > SHORT_S
        return self.asked or (at_leisure and sys.getallocatedblocks() <= _MOST_BLOCKS)

    @property
    def blocked_by(self) -> str | None:
        """Who is inside a framework, where nobody asked for the walk: then it is not begun."""
        inside = () if self.asked else self._look().inside
        return inside[0] if inside else None

    @contextmanager
    def walking(self) -> Iterator[None]:
        """Walk within; `reads_graphs` tells whether gradients and graphs may be read.

        Python collects no garbage of its own accord meanwhile: what a walk makes can set off a
        full collection, which takes longer than a walk may. Raises `Disturbed` at the end where
        gradients were read and should not have been. May be entered again inside.
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
                raise Disturbed

    @contextmanager
    def at_a_stretch(self) -> Iterator[None]:
        """List and sort out objects that no name leads to: nobody else runs Python meanwhile.

        A tuple that another thread is making cannot be finished while anybody refers to it
        (bpo-15108), so none may be held when that thread goes on.
        """
        if self._alone:
            yield
            return
        self.yield_main()
        with other_threads.kept_out():
            yield

    def pause(self) -> None:
        """Make way where this slice has taken its time; to be called often.

        Raises `Abandoned` where the walk must end here.
        """
        if time.perf_counter() >= self._slice_ends_s and not self.company.there:
            self.yield_main()

    def check(self) -> None:
        """Make way, and raise `Late` where the time has been spent."""
        self.pause()
        if self.late:
            raise Late

    def yield_main(self) -> None:
        """Let others go on before what takes long at a stretch."""
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
        """Call on the main thread, which stands still: nobody else may free or collect."""
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
