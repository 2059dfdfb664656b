"""The helper's part in a worker process of Ray: it puts what it has to say into a letter box.

The box is there while a notebook follows, and answers with what is asked of this process. Nothing
here waits for an answer, which could make Ray believe that a task waits; nor may anything start
Ray, as its functions do where it has ended.
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

    Task = tuple[int, int]  # of a thread, and of the frame in which its task has begun

NAME = "gpu-headroom"  # of the box, with the job behind it, and of its namespace
_BOX = "GpuHeadroomBox"
_LOOK_S = 0.1
_LEAST_S, _MOST_S = 0.5, 10.0  # from one look for the box to the next
_CAUGHT_S = 2.0  # a task that goes on for so long after its failure has caught it
_LONGEST = 2**16  # characters of what a failure is explained by
_MOST_FAILED = 4
_BEGINS = threading.Thread._bootstrap.__code__  # type: ignore[attr-defined]  # noqa: SLF001  where threads begin
_there: list[RaySide] = []  # the one of this process


def begin() -> None:
    """Begin in a worker process, before its tasks."""
    if not _there:
        _there.append(RaySide())
        threads.start(_there[0].run)


class RaySide:
    """Reads, and tells; its thread ends when the box says so."""

    def __init__(self) -> None:
        self._aside = Aside(_attributes, self._task)
        self._tasks: dict[Task, tuple[CodeType | None, float]] = {}
        self._failed: list[dict[str, Any]] = []
        self._box: Any = None
        self._letter: Any = None  # that is on its way
        self._freed: dict[str, Any] | None = None
        self._next_s = 0.0
        self._pause_s = _LEAST_S

    def run(self) -> None:
        """Say what there is to say until nobody wants to hear of it."""
        self._aside.start()
        is_wanted = True
        while is_wanted:
            time.sleep(_LOOK_S)
            try:
                self._look_at_tasks()
                is_wanted = self._post()
            except Exception:  # noqa: BLE001  Ray's own: the box, or all of it, is gone
                self._box = self._letter = None
                self._pause()
        _there.clear()
        self._aside.stop()
        forget(__name__.partition(".")[0])

    def _post(self) -> bool:
        """Put a letter into the box when it is time; false where there is nothing more to say."""
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
        said = {**_who(), "devices": self._aside.devices, "idle": not _work()}
        told = {"failed": self._failed, "freed": self._freed}
        self._letter = sent(self._box.put, worker_id, {**said, **told})
        self._failed, self._freed = [], None
        return True

    def _pause(self) -> None:
        self._next_s = time.monotonic() + self._pause_s
        self._pause_s = min(2 * self._pause_s, _MOST_S)

    def _task(self, thread_id: int) -> Task:
        """Return what the thread that asks is at: the frame of a person's that was called first."""
        frames = frames_of_person(sys._getframe(1))  # noqa: SLF001  the documented way to the own stack
        task = thread_id, id(frames[-1]) if frames else 0
        self._tasks[task] = frames[-1].f_code if frames else None, time.monotonic()
        return task

    def _look_at_tasks(self) -> None:
        """Tell of those that have failed; one that goes on after its failure has caught it."""
        for task, (code, failed_s) in list(self._tasks.items()):
            goes_on = _runs(task, code)
            if goes_on and time.monotonic() - failed_s < _CAUGHT_S:
                continue
            del self._tasks[task]
            found = self._aside.take(task)
            said = "" if goes_on or found is None else json.dumps(found)
            if 0 < len(said) <= _LONGEST:
                told = {**_who(), "rank": None, "found": said, "ip": _address()}
                self._failed = [*self._failed, told][-_MOST_FAILED:]


def _runs(task: Task, code: CodeType | None) -> bool:
    """Whether a thread is still in the frame in which its task has begun."""
    thread_id, begun = task
    frame = sys._current_frames().get(thread_id)  # noqa: SLF001  the documented way to other threads' stacks
    while frame is not None:
        if id(frame) == begun and frame.f_code is code:
            return True
        frame = frame.f_back
    return False


def _free() -> dict[str, Any]:
    """Return what the safe set of this process gave back, where it is at nothing.

    What begins meanwhile is not harmed, but nobody can say then what came back.
    """
    if work := _work():
        return {"status": work}
    found = given_back()
    changes = [found.get("freed_bytes", 0), found.get("returned_bytes", 0)]
    return {"status": "begun"} if _work() or min(changes) < 0 else found


def _work() -> str:
    """Return whether this process is at something: "busy", "untold", or nothing where it is not.

    Ray tells nobody. But a task of its runs on the main thread, which stands in Ray's loop else,
    or on a thread that Python has not started. Coroutines of an actor may wait where no frame is.
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
        # Never in a variable: our own frame is among them.
        for thread_id, frame in sys._current_frames().items()  # noqa: SLF001  as above
    )
    return "" if at_rest and not look(own=False).there else "busy"


def _rests(thread_id: int, frame: FrameType, loop: CodeType) -> bool:
    """Whether a thread is at no task of Ray's."""
    if thread_id == threading.main_thread().ident:
        return frame.f_code is loop
    while frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code is _BEGINS


def _instances() -> list[Any]:
    """Return the actors of this process, as Ray keeps them: there is one, or none."""
    worker = getattr(imported("ray._private.worker"), "global_worker", None)
    kept = vars(worker).get("actors") if worker is not None else None
    return list(kept.values()) if type(kept) is dict else []


def _instance(name: str) -> Any:
    return next((instance for instance in _instances() if type(instance).__name__ == name), None)


def _attributes() -> dict[str, Any]:
    """Return what actors of this process keep, by the name that their methods have for it."""
    found: dict[str, Any] = {}
    for instance in _instances():
        with suppress(TypeError):  # it may keep its attributes in slots
            found.update({f"self.{name}": value for name, value in vars(instance).items()})
    return found


def _who() -> dict[str, Any]:
    """Return who says it; a process is called as Ray calls it where it shows what it prints."""
    pid = os.getpid()
    kinds = [type(instance).__name__ for instance in _instances()]
    return {"pid": pid, "host": socket.gethostname(), "name": " ".join([*kinds, f"pid={pid}"])}


def _address() -> str:
    util = imported("ray.util")
    return "" if util is None else str(util.get_node_ip_address())


def name_of(job: str) -> str:
    """Return the name of the box of a job."""
    return f"{NAME}-{job}"


def sent(method: Any, *given: Any, **options: Any) -> Any:
    """Call a method of an actor, or make one of a class; Ray is not started for that."""
    call = plain(type(method)._remote)  # noqa: SLF001  `remote` starts Ray
    return call(method, args=given, kwargs={}, **options)


def plain(function: Any) -> Any:
    """Return a function of Ray's without what starts Ray where it has ended."""
    return getattr(function, "__wrapped__", function)
