"""Work between cells: what waits for its turn, and the walk that has it."""

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
"""Between two slices: in this time the event loop takes up what has come in, cells first."""
_AFTER_CELL_S = 0.05
_TOLD_EVERY_S = 0.5
_REST = 3.0  # times as long as a walk beside a thread of the person's has taken
_LONGEST_REST_S = 2.0
_AFTER_CELLS_S = 1.0  # where a walk that a cell has ended begins with steps that cannot be cut
_MOST_TRIES = 3
_MOST_WAITING = 500


class QueueFull(Exception):  # noqa: N818  it is an answer, not a failure of ours
    """So many requests wait for the end of the running cell that no more are taken on."""


@dataclass(slots=True)
class Job:
    """Work that waits; several wishes for the same thing share one.

    `asked` tells that a person asked for it: then it may take long. `given_up` is called, on any
    thread, where a person ended the work before its end. Work that `rests` only looks: beside a
    thread of the person's what has the same kind, `key[0]`, is done again after a rest. So it is
    `from_s` on where a cell has ended it amid millions of objects: another may follow at once.
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
    """A queue that is worked on between cells, in slices of the main thread's time.

    `schedule` puts a call into the main thread's event loop after a delay, from any thread; without
    such a loop, as in a terminal, nothing is queued. A cell that awaits leaves that loop running,
    so each slice asks `idle` first. Work that a cell interrupts begins anew after it. `progress` is
    told now and then for how many seconds a job has gone on that a person asked for.
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

    def submit(  # noqa: PLR0913  each says how the work is to be done
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
        """Queue `work` unless the same key waits already; return what waits.

        `cpu_s` is the processor time there is for it; a short one unless somebody asked. May raise
        `QueueFull`; never for work that no request asks for.
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
        """Take a job back, one that is being worked on as well; false when there is none."""
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
        """Take back the job that a request asked for, unless others wait for it as well."""
        job = next(
            (candidate for candidate in self._all() if candidate.request_ids == [request_id]), None
        )
        return job is not None and self.cancel(job.id)

    def waiting(self, kind: str) -> list[str]:
        """Return the ids of jobs that wait, of those whose key begins with `kind`."""
        jobs = list(self._jobs.values())
        return [job.id for job in jobs if isinstance(job.key, tuple) and job.key[0] == kind]

    def resume(self) -> None:
        """Go on some time after a cell; another cell that waits already comes first."""
        now_s = time.monotonic()
        for job in list(self._jobs.values()):
            if job.from_s:
                job.from_s = now_s + _AFTER_CELLS_S
        if self._jobs:
            self._come_round(_AFTER_CELL_S)

    def look(self) -> None:
        """Have the main thread see whether a cell runs, as soon as it comes round to it."""
        self._come_round(0.0)

    def interrupt(self) -> None:
        """Let go of everything before a cell begins; the work waits for its end."""
        now, self._now = self._now, None
        if now is not None:
            job, walk = now
            walk.abandon()
            self._broken_off(job, walk)

    def finish(self, request_id: object) -> None:
        """Work until what a request asked for has ended; on the main thread, where no cell runs.

        Code that a page has executed may be on its stack: the page waits for this.
        """
        while not self._closed:
            jobs = [job for job in self._all() if request_id in job.request_ids]
            if not jobs:
                return
            for job in jobs:
                job.rests = False
            self._work()

    def close(self) -> None:
        """Let go of everything for good, from any thread."""
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
        # What is scheduled already comes first, unless it rests.
        is_scheduled = self._due_s <= now_s + max(delay_s, _AFTER_CELL_S)
        if self._schedule is not None and not is_scheduled and not self._closed:
            self._due_s = now_s + delay_s
            self._schedule(partial(unseen, self._slice, self._due_s), delay_s)

    def _slice(self, due_s: float) -> None:
        if due_s != self._due_s:
            return  # another one came before
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
                pass  # all that waits rests
            elif not now[1].slice():
                self._tell(now[0])
            elif self._now is now:  # nobody has interrupted it meanwhile, from another thread
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
        """Return how long a job rests yet."""
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
