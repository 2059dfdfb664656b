"""The helper in a worker process of Ray: sends readings to the job's collecting actor.

The actor exists while a notebook follows, and replies with requests to this process. No call here
blocks on a reply, which could make Ray consider a task blocked; none may start Ray, as Ray's own
functions do after it has shut down.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..concurrency import threads
from ..concurrency.other_threads import look
from ..frameworks.imported import imported
from .arriving import forget, given_back
from .aside import Aside, frames_of_person

if TYPE_CHECKING:
    from types import CodeType, FrameType

    Task = tuple[int, int]  # ids of a thread, and of the frame in which its task began

NAME = "gpu-headroom"  # of the actor, followed by the job's id, and of its namespace
_BOX = "GpuHeadroomBox"
_LOOK_S = 0.1
_LEAST_S, _MOST_S = 0.5, 10.0  # between attempts to find the actor
_CAUGHT_S = 2.0  # a task still running this long after its failure has caught it
_LONGEST = 2**16  # characters of a failure's analysis
_MOST_FAILED = 4
_BEGINS = threading.Thread._bootstrap.__code__  # type: ignore[attr-defined]  # noqa: SLF001  outermost frame of Python's threads
_there: list[RaySide] = []  # the one of this process


def begin() -> None:
    """Start the helper in a worker process, before its tasks."""
    if not _there:
        _there.append(RaySide())
        threads.start(_there[0].run)


class RaySide:
    """Readings and failures of this process; its thread ends when the actor says so."""

    def __init__(self) -> None:
        self._aside = Aside(_attributes, self._task)
        self._tasks: dict[Task, tuple[CodeType | None, float]] = {}
        self._failed: list[dict[str, Any]] = []
        self._box: Any = None
        self._letter: Any = None  # in flight
        self._freed: dict[str, Any] | None = None
        self._next_s = 0.0
        self._pause_s = _LEAST_S

    def run(self) -> None:
        """Send messages until the actor asks to stop; blocks its thread."""
        self._aside.start()
        is_wanted = True
        while is_wanted:
            time.sleep(_LOOK_S)
            try:
                self._look_at_tasks()
                is_wanted = self._post()
            except Exception:  # noqa: BLE001  an error of Ray's: the actor, or Ray, has ended
                self._box = self._letter = None
                self._pause()
        _there.clear()
        self._aside.stop()
        forget(__name__.partition(".")[0])

    def _post(self) -> bool:
        """Send a message when one is due; return false once the actor has asked to stop."""
        ray = imported("ray")
        if ray is None or not ray.is_initialized() or _instance(_BOX) is not None:
            return True
        if self._letter is not None:
            ready, _ = plain(ray.wait)([self._letter], timeout=0)
            if not ready:
                return True
            letter, self._letter = self._letter, None
            answer = plain(ray.get)(letter, timeout=1)
            if answer is None:
                return False
            next_s, is_to_free = answer
            if is_to_free:
                self._freed, next_s = _free(), 0.0
            self._next_s = time.monotonic() + next_s
        if time.monotonic() < self._next_s and not (self._failed and self._box):
            return True
        if self._box is None:
            name = name_of(plain(ray.get_runtime_context)().get_job_id())
            self._box = plain(ray.get_actor)(name, namespace=NAME)
            self._pause_s = _LEAST_S
        worker_id = plain(ray.get_runtime_context)().get_worker_id()
        reading = {**_who(), "devices": self._aside.devices, "idle": not _work()}
        results = {"failed": self._failed, "freed": self._freed}
        self._letter = sent(self._box.put, worker_id, {**reading, **results})
        self._failed, self._freed = [], None
        return True

    def _pause(self) -> None:
        self._next_s = time.monotonic() + self._pause_s
        self._pause_s = min(2 * self._pause_s, _MOST_S)

    def _task(self, thread_id: int) -> Task:
        """Return the task of the current thread: its outermost frame of user code."""
        frames = frames_of_person(sys._getframe(1))  # noqa: SLF001  documented, for this thread's stack
        task = thread_id, id(frames[-1]) if frames else 0
        self._tasks[task] = frames[-1].f_code if frames else None, time.monotonic()
        return task

    def _look_at_tasks(self) -> None:
        """Queue the failures of tasks that have ended; a task still running has caught its own."""
        for task, (code, failed_s) in list(self._tasks.items()):
            goes_on = _runs(task, code)
            if goes_on and time.monotonic() - failed_s < _CAUGHT_S:
                continue
            del self._tasks[task]
            analysis = self._aside.take(task)
            text = "" if goes_on or analysis is None else json.dumps(analysis)
            if 0 < len(text) <= _LONGEST:
                failure = {**_who(), "rank": None, "found": text, "ip": _address()}
                self._failed = [*self._failed, failure][-_MOST_FAILED:]


def _runs(task: Task, code: CodeType | None) -> bool:
    """Whether a thread is still in the frame in which its task began."""
    thread_id, frame_id = task
    frame = sys._current_frames().get(thread_id)  # noqa: SLF001  the documented way to other threads' stacks
    while frame is not None:
        if id(frame) == frame_id and frame.f_code is code:
            return True
        frame = frame.f_back
    return False


def _free() -> dict[str, Any]:
    """Free unused memory unless a task is running; return the outcome or the status.

    A task that begins meanwhile is not harmed, but then the freed bytes cannot be measured:
    `begun`.
    """
    if work := _work():
        return {"status": work}
    outcome = given_back()
    changes = [outcome.get("freed_bytes", 0), outcome.get("returned_bytes", 0)]
    return {"status": "begun"} if _work() or min(changes) < 0 else outcome


def _work() -> str:
    """Return whether this process runs a task: "busy", "untold" if unknown, "" if not.

    Ray has no such query. But its tasks run on the main thread, which otherwise is in Ray's loop,
    or on a thread that Python has not started. Coroutines of an actor may wait without any frame.
    """
    try:
        worker = imported("ray._private.worker").global_worker
        if worker.core_worker.current_actor_is_asyncio():
            return "untold"
        loop = type(worker).main_loop.__code__
    except AttributeError:
        return "untold"
    at_rest = all(
        _rests(thread_id, frame, loop)
        # Not stored in a variable: this frame is among them, which would make a cycle.
        for thread_id, frame in sys._current_frames().items()  # noqa: SLF001  as above
    )
    return "" if at_rest and not look(own=False).there else "busy"


def _rests(thread_id: int, frame: FrameType, loop: CodeType) -> bool:
    """Whether a thread runs no task of Ray's."""
    if thread_id == threading.main_thread().ident:
        return frame.f_code is loop
    while frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code is _BEGINS


def _instances() -> list[Any]:
    """Return the actors of this process, as Ray keeps them: one at most."""
    worker = getattr(imported("ray._private.worker"), "global_worker", None)
    actors = vars(worker).get("actors") if worker is not None else None
    return list(actors.values()) if type(actors) is dict else []


def _instance(name: str) -> Any:
    return next((instance for instance in _instances() if type(instance).__name__ == name), None)


def _attributes() -> dict[str, Any]:
    """Return the attributes of this process's actors, under their `self.` names."""
    attributes: dict[str, Any] = {}
    for instance in _instances():
        with suppress(TypeError):  # a class with slots has no `__dict__`
            attributes.update({f"self.{name}": value for name, value in vars(instance).items()})
    return attributes


def _who() -> dict[str, Any]:
    """Return the identity of this process; its name is the one that Ray prints before outputs."""
    pid = os.getpid()
    kinds = [type(instance).__name__ for instance in _instances()]
    return {"pid": pid, "host": socket.gethostname(), "name": " ".join([*kinds, f"pid={pid}"])}


def _address() -> str:
    util = imported("ray.util")
    return "" if util is None else str(util.get_node_ip_address())


def name_of(job: str) -> str:
    """Return the name of a job's actor."""
    return f"{NAME}-{job}"


def sent(method: Any, *given: Any, **options: Any) -> Any:
    """Call a method of an actor, or create one from a class, without starting Ray."""
    call = plain(type(method)._remote)  # noqa: SLF001  `remote` starts Ray
    return call(method, args=given, kwargs={}, **options)


def plain(function: Any) -> Any:
    """Return a function of Ray's without the wrapper that starts Ray."""
    return getattr(function, "__wrapped__", function)
