"""Queue of jobs that run between cells, in slices of the main thread's time."""

from __future__ import annotations

import math
import time
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from .threads import Lock, unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from .sliced_turn import SlicedTurn
    from .turns import Turn

    Work = Callable[["Job", Turn], None]

_BETWEEN_S = 0.002
"""Pause between two slices, in which the event loop handles new messages, cells first."""
_AFTER_CELL_S = 0.05
_TOLD_EVERY_S = 0.5
_REST = 3.0  # times the duration of a walk beside a thread of the user's
_LONGEST_REST_S = 2.0
_AFTER_CELLS_S = 1.0  # rest of an interrupted walk that starts with uninterruptible steps
_MOST_TRIES = 3
_MOST_WAITING = 500


class QueueFull(Exception):  # noqa: N818  raised to return a reply; not an internal error
    """Raised to refuse a request; too many requests wait for the end of the running cell."""


@dataclass(slots=True)
class Job:
    """A queued piece of work, shared by all requests with the same `key`.

    `asked` marks work that a user requested, which may take long. `given_up` is called, on any
    thread, when a user cancels the work. Work with `rests` only reads: beside a thread of the
    user's that may run, work of the same kind (`key[0]`) is repeated only after a rest. It also
    rests until `from_s` after a cell has interrupted it among millions of objects, as another cell
    may follow.
    """

    key: Hashable
    work: Work
    asked: bool = False
    given_up: Callable[[Job], None] | None = None
    cpu_s: float | None = None
    rests: bool = False
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    request_ids: list[str] = field(default_factory=list)
    tries: int = 0
    began_s: float = 0.0
    told_s: float = 0.0
    from_s: float = 0.0


class MainLoop:
    """Runs queued jobs between cells, in slices of the main thread's time.

    `schedule` puts a call into the main thread's event loop after a delay in seconds, from any
    thread; without such a loop, as in a terminal, nothing is queued. A cell that awaits leaves that
    loop running, so each slice calls `idle` first. A job that a cell interrupts starts again after
    the cell. `progress` is called about every 0.5 s with a job that a user requested, and the
    seconds since its start.
    """

    def __init__(
        self,
        schedule: Callable[[Callable[[], None], float], None] | None,
        idle: Callable[[], bool],
        failed: Callable[[str, BaseException, Sequence[str]], None],
        progress: Callable[[Job, float], None] | None = None,
        *,
        walk: Callable[..., SlicedTurn],
    ) -> None:
        self._schedule = schedule
        self._idle = idle
        self._failed = failed
        self._progress = progress
        self._new_walk = walk
        self._lock = Lock()
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._now: tuple[Job, SlicedTurn] | None = None
        self._due_s = math.inf  # of the slice that is scheduled
        self._rested_s: dict[object, float] = {}
        self._closed = False

    def submit(  # noqa: PLR0913  options of one job
        self,
        key: Hashable,
        request_id: str | None,
        work: Work,
        *,
        asked: bool = False,
        given_up: Callable[[Job], None] | None = None,
        cpu_s: float | None = None,
        rests: bool = False,
    ) -> Job:
        """Queue `work` unless a job with the same key is waiting; return the waiting job.

        `cpu_s` is its limit of processor time in seconds; by default long for work that a user
        requested, short otherwise. Raises `QueueFull` only where `request_id` is given.
        """
        if self._schedule is None:
            return Job(key, work, asked)
        with self._lock:
            waiting = sum([len(candidate.request_ids) for candidate in self._jobs.values()])
            if request_id is not None and waiting >= _MOST_WAITING:
                raise QueueFull
            new = Job(key, work, given_up=given_up, cpu_s=cpu_s, rests=rests)
            job = self._jobs.setdefault(key, new)
            job.asked |= asked
            if request_id is not None:
                job.request_ids.append(request_id)
        self._come_round(0.0)
        return job

    def cancel(self, job_id: str) -> bool:
        """Cancel a job, waiting or running; return false where there is none of that id."""
        with self._lock:
            job = next(
                (candidate for candidate in self._jobs.values() if candidate.id == job_id), None
            )
            if job is not None:
                del self._jobs[job.key]
        if job is not None:
            self._give_up(job)
            return True
        now = self._now
        if now is None or now[0].id != job_id:
            return False
        now[1].cancel()
        return True

    def cancel_requested(self, request_id: str) -> bool:
        """Cancel the job of a request, unless other requests wait for it as well."""
        job = next(
            (candidate for candidate in self._all() if candidate.request_ids == [request_id]), None
        )
        return job is not None and self.cancel(job.id)

    def waiting(self, kind: str) -> list[str]:
        """Return the ids of waiting jobs whose key begins with `kind`."""
        jobs = list(self._jobs.values())
        return [job.id for job in jobs if isinstance(job.key, tuple) and job.key[0] == kind]

    def resume(self) -> None:
        """Continue some time after a cell; cells that already wait run first."""
        now_s = time.monotonic()
        for job in list(self._jobs.values()):
            if job.from_s:
                job.from_s = now_s + _AFTER_CELLS_S
        if self._jobs:
            self._come_round(_AFTER_CELL_S)

    def look(self) -> None:
        """Have the main thread check, as soon as possible, whether a cell is running."""
        self._come_round(0.0)

    def interrupt(self) -> None:
        """Abandon the current walk before a cell begins; its job waits for the cell's end."""
        now, self._now = self._now, None
        if now is not None:
            job, walk = now
            walk.abandon()
            self._broken_off(job, walk)

    def finish(self, request_id: object) -> None:
        """Work until the jobs of a request have ended; on the main thread, while no cell runs.

        May be called inside code that a front end has executed and whose end it awaits.
        """
        while not self._closed:
            jobs = [job for job in self._all() if request_id in job.request_ids]
            if not jobs:
                return
            for job in jobs:
                job.rests = False
            self._work()

    def close(self) -> None:
        """Abandon the current walk and drop all jobs for good; on any thread."""
        self._closed = True
        self.interrupt()
        with self._lock:
            self._jobs.clear()

    def _all(self) -> list[Job]:
        with self._lock:
            jobs = list(self._jobs.values())
        now = self._now
        return jobs if now is None else [*jobs, now[0]]

    def _broken_off(self, job: Job, walk: SlicedTurn) -> None:
        if walk.committed:
            return
        if walk.cancelled:
            self._give_up(job)
            return
        job.from_s = time.monotonic() if walk.has_many else 0.0
        with self._lock:
            waiting = self._jobs.setdefault(job.key, job)
            if waiting is not job:
                waiting.request_ids += job.request_ids
            self._jobs.move_to_end(job.key, last=False)

    def _give_up(self, job: Job) -> None:
        if job.given_up is not None:
            job.given_up(job)

    def _come_round(self, delay_s: float) -> None:
        now_s = time.monotonic()
        # Keep a slice that is already scheduled early enough; replace one that rests.
        is_scheduled = self._due_s <= now_s + max(delay_s, _AFTER_CELL_S)
        if self._schedule is not None and not is_scheduled and not self._closed:
            self._due_s = now_s + delay_s
            self._schedule(partial(unseen, self._slice, self._due_s), delay_s)

    def _slice(self, due_s: float) -> None:
        if due_s != self._due_s:
            return  # replaced by an earlier slice
        self._due_s = math.inf
        if self._closed:
            return
        if self._idle():
            self._work()
        else:
            self.interrupt()

    def _work(self) -> None:
        now = self._now
        try:
            now = self._now = now or self._next()
            if now is None:
                pass  # all waiting jobs rest
            elif not now[1].slice():
                self._tell(now[0])
            elif self._now is now:  # not interrupted meanwhile from another thread
                self._now = None
                self._ended(*now)
        except Exception as error:  # noqa: BLE001  a failed job must not end the queue
            self._now = None
            self._failed("mainloop", error, () if now is None else now[0].request_ids)
        jobs = list(self._jobs.values())
        if self._now is not None:
            self._come_round(_BETWEEN_S)
        elif jobs:
            self._come_round(max(_BETWEEN_S, min(map(self._rest_s, jobs))))

    def _next(self) -> tuple[Job, SlicedTurn] | None:
        with self._lock:
            job = next(
                (candidate for candidate in self._jobs.values() if self._rest_s(candidate) <= 0.0),
                None,
            )
            if job is None:
                return None
            del self._jobs[job.key]
        job.tries += 1
        job.began_s = job.told_s = time.monotonic()

        from .turns import LONG_S, SHORT_S

        cpu_s = job.cpu_s or (LONG_S if job.asked else SHORT_S)
        again = job.tries < _MOST_TRIES
        return job, self._new_walk(partial(job.work, job), cpu_s, asked=job.asked, again=again)

    def _rest_s(self, job: Job) -> float:
        """Return for how many seconds a job still rests; 0 or less if it may run."""
        if not job.rests or not isinstance(job.key, tuple):
            return 0.0
        return max(job.from_s, self._rested_s.get(job.key[0], 0.0)) - time.monotonic()

    def _tell(self, job: Job) -> None:
        now_s = time.monotonic()
        if job.asked and self._progress is not None and now_s - job.told_s > _TOLD_EVERY_S:
            job.told_s = now_s
            self._progress(job, now_s - job.began_s)

    def _ended(self, job: Job, walk: SlicedTurn) -> None:
        if job.rests and isinstance(job.key, tuple) and walk.company.there:
            now_s = time.monotonic()
            rest_s = min(_LONGEST_REST_S, _REST * (now_s - job.began_s))
            self._rested_s[job.key[0]] = now_s + rest_s
        if walk.error is not None:
            self._failed("mainloop", walk.error, job.request_ids)
        elif walk.disturbed or walk.cancelled:
            self._broken_off(job, walk)
