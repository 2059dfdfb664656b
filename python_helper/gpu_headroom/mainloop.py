"""Work for the kernel's main thread, done between cells."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


@dataclass(slots=True)
class Job:
    """Work that waits; several wishes for the same thing share one."""

    key: Hashable
    work: Callable[[Job], None]
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    request_ids: list[str] = field(default_factory=list)


class MainLoop:
    """A queue that runs on the main thread whenever no cell runs.

    `schedule` puts a call into the main thread's event loop from any thread. A cell
    that awaits leaves that loop running, so each job asks `idle` first.
    """

    def __init__(
        self,
        schedule: Callable[[Callable[[], None]], None],
        idle: Callable[[], bool],
        failed: Callable[[str, BaseException], None],
    ) -> None:
        self._schedule = schedule
        self._idle = idle
        self._failed = failed
        self._lock = threading.Lock()
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()

    def submit(self, key: Hashable, request_id: str, work: Callable[[Job], None]) -> Job:
        """Queue `work` unless the same key waits already; return what waits."""
        with self._lock:
            job = self._jobs.setdefault(key, Job(key, work))
            job.request_ids.append(request_id)
        self.resume()
        return job

    def call(self, work: Callable[[], T], *, timeout_s: float) -> T | None:
        """Return what `work` returns on the main thread; `None` when a cell came first.

        Raises what `work` raises.
        """
        if threading.current_thread() is threading.main_thread():
            return work()
        result: Future[T] = Future()

        def run(_: Job) -> None:
            try:
                result.set_result(work())
            except Exception as error:  # noqa: BLE001  it belongs to the caller
                result.set_exception(error)

        job = self.submit(object(), "", run)
        if not wait([result], timeout_s).done:
            self.cancel(job.id)
            return None
        return result.result()

    def cancel(self, job_id: str) -> bool:
        """Take a job back; false when it has started, ended or never was."""
        with self._lock:
            job = next((each for each in self._jobs.values() if each.id == job_id), None)
            if job is not None:
                del self._jobs[job.key]
            return job is not None

    def waiting(self, kind: str) -> list[str]:
        """Return the ids of jobs that wait, of those whose key begins with `kind`."""
        with self._lock:
            jobs = list(self._jobs.values())
        return [job.id for job in jobs if isinstance(job.key, tuple) and job.key[0] == kind]

    def resume(self) -> None:
        """Run what waits as soon as the main thread comes round to it."""
        if self._jobs:
            self._schedule(self._drain)

    def _drain(self) -> None:
        while self._idle():
            with self._lock:
                if not self._jobs:
                    return
                _, job = self._jobs.popitem(last=False)
            try:
                job.work(job)
            except Exception as error:  # noqa: BLE001  a failed job must not end the queue
                self._failed("mainloop", error)
