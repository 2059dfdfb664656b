"""What goes to a Dask cluster, by value: to its scheduler a summary, to each worker the helper.

The text of this module is executed as one that nobody can import, so that Dask sends what it
defines with it; those of `cards.py` and `arriving.py` stand in front of it.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import socket
import time
from typing import TYPE_CHECKING, Any

from distributed import WorkerPlugin

if TYPE_CHECKING:
    # They stand in front of this text; a name that is there need not be found.
    from .arriving import brought, forget, given_back  # noqa: TC004  see above
    from .cards import STALE_S, answer, worker_of  # noqa: TC004  see above

_METRIC = "gpu_headroom"
_NAMED = "gpu-headroom-"  # of every notebook that follows
_LONGEST = 2**16  # bytes of what a failure is explained by


class GpuHeadroom(WorkerPlugin):
    """Has the helper measure in a worker, and tell of a task that ran out of GPU memory.

    `kernel` is the process that follows: a worker within it is measured there.
    """

    idempotent = True

    def __init__(self, name: str, kernel: tuple[str, int], pack: tuple[bytes, str, str]) -> None:
        self.name = name
        self._kernel = kernel
        self._pack = pack
        self._aside: Any = None
        self._worker: Any = None
        self._package = ""

    def setup(self, worker: Any) -> None:
        """Begin, on the worker's loop: nothing is imported that takes long but ours."""
        if (socket.gethostname(), os.getpid()) == self._kernel or self._aside is not None:
            return
        package = self._package = brought(*self._pack)
        aside = importlib.import_module(f"{package}.workers.aside")
        self._worker = worker
        self._aside = aside.Aside(lambda: _results(worker), worker.active_threads.get)
        self._aside.start()
        worker.metrics[_METRIC] = self._reading

    def teardown(self, worker: Any) -> None:
        """End, and leave nothing."""
        if self._aside is not None:
            self._aside.stop()
            self._aside = None
            if worker.metrics.get(_METRIC) == self._reading:
                del worker.metrics[_METRIC]
            if not any(name.startswith(_NAMED) and name != self.name for name in worker.plugins):
                forget(self._package)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:  # noqa: ARG002  Dask gives them
        """Tell of a task that has failed, and forget what one was explained by that has not."""
        if self._aside is None or (found := self._aside.take(key)) is None or finish != "error":
            return
        with contextlib.suppress(Exception):
            said = json.dumps(found)
            task = self._worker.state.tasks[key]
            if len(said) <= _LONGEST:
                who = {"name": str(self._worker.name), "pid": os.getpid()}
                told = {**who, "host": socket.gethostname(), "text": task.exception_text}
                self._worker.log_event(self.name, {**told, "found": said})

    def _reading(self, _: Any) -> dict[str, Any]:
        return {"pid": os.getpid(), "host": socket.gethostname(), "devices": self._aside.devices}


def _results(worker: Any) -> dict[str, Any]:
    """Return the results that a worker keeps in memory, by name; none is read from its disk."""
    kept = getattr(worker.data, "fast", worker.data)
    kept = getattr(kept, "d", kept)
    names = dict(kept) if isinstance(kept, dict) else {}
    return {f"result {key}": value for key, value in names.items()}


def look(texts: list[str], dask_scheduler: Any = None) -> dict[str, Any]:
    """Return, on the scheduler, what its workers say: an answer each, and how many there are."""
    now_s, found, live = time.time(), [], 0
    for address, worker in dask_scheduler.workers.items():
        said = worker.metrics.get(_METRIC)
        if said is None:
            continue
        age_s = max(0.0, now_s - worker.last_seen)
        live += age_s <= STALE_S
        name = worker.name
        names = (None, name) if isinstance(name, int) else (str(name), None)
        found.append(worker_of(f"dask:{address}", names, said, age_s, idle=not worker.processing))
    total = len(dask_scheduler.workers)
    answers = [list(answer(found, text)) for text in texts]
    return {"total": total, "said": len(found), "live": live, "answers": answers}


def free(dask_worker: Any = None) -> dict[str, Any]:
    """Return, on a worker, what its safe set gave back; it starts no task meanwhile."""
    if dask_worker.state.executing_count:
        return {"status": "busy"}
    return given_back()
