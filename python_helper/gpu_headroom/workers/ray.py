"""Worker processes of Ray: a hook installs the helper there, an actor collects the readings.

The hook has to be passed to `ray.init`: Ray has no other way into its processes. The actor makes
the summary, so the kernel receives as much for a thousand processes as for three. All waiting for
Ray happens on a thread of the helper. No call here may start Ray, as Ray's own functions do after
it has shut down.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..concurrency import threads
from ..frameworks.imported import imported
from ..text.format import format_error
from ..text.messages import message
from .asked import NOTHING, Asked
from .gpus import Done, engine_of
from .ray_side import NAME, name_of, plain, sent
from .travel import BUSY_S, REST_S, FailureLog, by_value, outcome_of, pack
from .words import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..errors.remote import RemoteWorker
    from ..protocol.generated.wire import Followed, Message
    from .gpus import Answer

    Busy = Callable[[], bool]

_SOON_S = 0.25  # until Ray is running
_PATIENCE_S = 30.0  # for an answer: its process may have to start
_HEARD_S = 1.2  # until a reading from after the release has arrived
_DRIVER = 0  # `ray.SCRIPT_MODE`
_SENT = "workers/gpus.py", "workers/ray_box.py"


def environment() -> dict[str, Any]:
    """Return the `runtime_env` for `ray.init`, or to be merged into the user's own."""
    definitions = by_value("workers/arriving.py")
    return {"worker_process_setup_hook": definitions["hook_of"](pack(), "workers.ray_side")}


class RayEngine:
    """The worker processes of the job whose driver is this kernel."""

    def __init__(self, _: str, busy: Busy) -> None:
        self._busy = busy
        self._is_wanted = False
        self._job: str | None = None  # the job of `_box`
        self._box: Any = None
        self._state = "following"
        self._said: Message | None = None
        self._total = self._live = 0
        self._failures = FailureLog()
        self._bell = threads.Bell()
        self._asked = Asked(self._bell)

    # --- Last known state ----------------------------------------------------

    def followed(self) -> Followed | None:
        """Return the number and state of the reporting processes; `None` without Ray."""
        job = _job()
        if job is None:
            return None
        self._asked.look()
        is_followed = self._is_wanted and job == self._job
        is_measured = is_followed and self._state == "measured"
        silent_s = self._asked.silent_s() if is_measured else None
        state = self._state if is_followed else "following" if self._is_wanted else "not_measured"
        counts = (self._total, self._live) if is_measured else (0, 0)
        note = self._said if is_followed else None
        return engine_of("ray", counts, state, silent_s, note)

    def answer(self, text: str) -> Answer:
        """Return the last known GPUs for a filter; a new filter is queried without delay."""
        is_followed = self._job is not None and self._job == _job()
        return self._asked.answer(text) if is_followed else NOTHING

    def take(self, _: str, worker: RemoteWorker) -> dict[str, Any]:
        """Return a process's report of its failure, by host and process id; `others` is a count."""
        report = self._failures.take(f"{worker.host} {worker.pid}")
        if not report and self._is_wanted:
            self._bell.ring()
        return report

    # --- Slow work, on the helper's threads ----------------------------------

    def follow(self) -> None:
        """Create the collecting actor as soon as Ray is running; returns immediately."""
        if not self._is_wanted:
            self._is_wanted = True
            threads.start(self._run)

    def unfollow(self) -> None:
        """Stop reporting in the processes, and end the actor; returns immediately."""
        box, job = self._box, self._job
        self._is_wanted, self._box, self._job = False, None, None
        self._asked.forget()
        self._bell.ring()
        if box is not None and job == _job():
            threads.start(lambda: _end(box, job))

    def act(self, worker_id: str, action: str) -> Done:
        """Free the unused memory of a process; waits for its next message."""
        box, key = self._box, worker_id.partition(":")[2]
        if box is None or self._job != _job() or action != "free":
            return Done("refused", message("worker.gone", TEXTS))
        try:
            reply = _freed(box, key)
        except Exception as error:  # noqa: BLE001  an error of Ray's: the actor, or Ray, has ended
            if isinstance(error, imported("ray.exceptions").RayActorError):
                return Done("failed", message("worker.no_box", TEXTS))
            return Done("failed", message("worker.failed", TEXTS, error=format_error(error)))
        time.sleep(_HEARD_S)
        self._bell.ring()
        return outcome_of(reply)

    def _run(self) -> None:
        """Query the actor until unfollowed; continues when Ray is shut down and started again."""
        while self._is_wanted:
            job = _job()
            if job != self._job:
                self._job, self._box, self._state, self._said = job, None, "following", None
                self._asked.forget()
            if job is not None and (self._box is None or self._is_of_use()):
                self._ask(job)
            is_soon = job is None or self._state == "following"
            self._bell.wait(_SOON_S if is_soon else BUSY_S if self._busy() else REST_S)

    def _is_of_use(self) -> bool:
        return self._state == "following" or self._busy() or self._asked.is_looked_at()

    def _ask(self, job: str) -> None:
        ray, filters = imported("ray"), self._asked.texts
        try:
            if self._box is None:
                if not _has_hook():
                    self._state, self._said = "not_measured", message("worker.no_hook", TEXTS)
                    return
                self._box = _made(job)
            letter = sent(self._box.look, filters)
            answer = plain(ray.get)(letter, timeout=_PATIENCE_S)
        except Exception as error:  # noqa: BLE001  an error of Ray's: the actor, or Ray, has ended
            if job == _job():
                self._said = message("worker.not_followed", TEXTS, error=format_error(error))
            if not isinstance(error, TimeoutError):
                self._box = None
            return
        if not self._is_wanted or job != self._job:
            return
        self._asked.enter(filters, answer["answers"])
        self._total, self._live = answer["total"], answer["live"]
        self._state = "measured"
        self._said = None if self._total else message("worker.silent", TEXTS)
        for failure in answer["failed"]:
            with suppress(KeyError, TypeError):  # data of another process
                self._failures.enter("ray", f"{failure['ip']} {failure['pid']}", failure)


Engine = RayEngine


def _job() -> str | None:
    """Return the id of this kernel's Ray job; `None` where it is not a driver."""
    worker = getattr(imported("ray._private.worker"), "global_worker", None)
    with suppress(Exception):  # Ray may shut down meanwhile
        if worker is not None and worker.connected and worker.mode == _DRIVER:
            return str(worker.current_job_id.hex())
    return None


def _has_hook() -> bool:
    """Whether Ray was started with a hook, possibly the user's own that calls the helper's."""
    context = plain(imported("ray").get_runtime_context)()
    return bool(context.runtime_env.get("worker_process_setup_hook"))


def _made(job: str) -> Any:
    """Return a new collecting actor; it ends with the job."""
    kind = imported("ray").remote(num_cpus=0)(by_value(*_SENT)["GpuHeadroomBox"])
    return sent(kind, name=name_of(job), namespace=NAME, num_cpus=0, max_concurrency=1)


def _freed(box: Any, key: str) -> dict[str, Any]:
    """Return what a process freed, or the status that prevents it."""
    ray, ends_s = imported("ray"), time.monotonic() + _PATIENCE_S
    reply: dict[str, Any] | None = plain(ray.get)(sent(box.order, key), timeout=_PATIENCE_S)
    while reply is None:
        time.sleep(_SOON_S)
        ref = sent(box.outcome, key, ends_s - time.monotonic())
        reply = plain(ray.get)(ref, timeout=_PATIENCE_S)
    return reply


def _end(box: Any, job: str | None) -> None:
    """Close the actor, and kill it once the processes that report to it have been notified."""
    ray, ends_s = imported("ray"), time.monotonic() + _PATIENCE_S
    with suppress(Exception):  # Ray may end meanwhile, with all of its processes
        while job == _job() and time.monotonic() < ends_s:
            if not plain(ray.get)(sent(box.close), timeout=_PATIENCE_S):
                break
            time.sleep(_SOON_S)
        if job == _job():
            plain(ray.kill)(box)
