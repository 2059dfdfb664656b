"""Code sent by value to a Dask cluster: a summary function, and a worker plugin.

The source of this module is executed under a name that cannot be imported, so that Dask sends the
definitions by value; the sources of `gpus.py` and `arriving.py` are executed before it.
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
    # Defined by the sources that are executed before this one; never imported at run time.
    from .arriving import brought, forget, given_back  # noqa: TC004  see above
    from .gpus import STALE_S, answer, worker_of  # noqa: TC004  see above

_METRIC = "gpu_headroom"
_NAMED = "gpu-headroom-"  # prefix of each following notebook's plugin
_LONGEST = 2**16  # characters of a failure's analysis


class GpuHeadroom(WorkerPlugin):
    """Plugin that measures in a worker and reports tasks that ran out of GPU memory.

    `kernel` is the host and process id of the following kernel: a worker within that process is
    already measured there.
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
        """Start measuring, on the worker's event loop; only the helper is imported."""
        if (socket.gethostname(), os.getpid()) == self._kernel or self._aside is not None:
            return
        package = self._package = brought(*self._pack)
        aside = importlib.import_module(f"{package}.workers.aside")
        self._worker = worker
        self._aside = aside.Aside(lambda: _results(worker), worker.active_threads.get)
        self._aside.start()
        worker.metrics[_METRIC] = self._reading

    def teardown(self, worker: Any) -> None:
        """Stop measuring and remove all that was installed."""
        if self._aside is not None:
            self._aside.stop()
            self._aside = None
            if worker.metrics.get(_METRIC) == self._reading:
                del worker.metrics[_METRIC]
            if not any(name.startswith(_NAMED) and name != self.name for name in worker.plugins):
                forget(self._package)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:  # noqa: ARG002  Dask passes them
        """Publish the analysis of a task that failed; discard that of one that completed."""
        if self._aside is None or (analysis := self._aside.take(key)) is None or finish != "error":
            return
        with contextlib.suppress(Exception):
            text = json.dumps(analysis)
            task = self._worker.state.tasks[key]
            if len(text) <= _LONGEST:
                identity = {"name": str(self._worker.name), "pid": os.getpid()}
                failure = {**identity, "host": socket.gethostname(), "text": task.exception_text}
                self._worker.log_event(self.name, {**failure, "found": text})

    def _reading(self, _: Any) -> dict[str, Any]:
        return {"pid": os.getpid(), "host": socket.gethostname(), "devices": self._aside.devices}


def _results(worker: Any) -> dict[str, Any]:
    """Return the results that a worker keeps in memory, by name; none is read from its disk."""
    store = getattr(worker.data, "fast", worker.data)
    store = getattr(store, "d", store)
    names = dict(store) if isinstance(store, dict) else {}
    return {f"result {key}": value for key, value in names.items()}


def look(texts: list[str], dask_scheduler: Any = None) -> dict[str, Any]:
    """Return a summary of the workers, on the scheduler: an answer for each filter, and counts."""
    now_s, workers, live = time.time(), [], 0
    for address, worker in dask_scheduler.workers.items():
        data = worker.metrics.get(_METRIC)
        if data is None:
            continue
        age_s = max(0.0, now_s - worker.last_seen)
        live += age_s <= STALE_S
        name = worker.name
        names = (None, name) if isinstance(name, int) else (str(name), None)
        workers.append(worker_of(f"dask:{address}", names, data, age_s, idle=not worker.processing))
    total = len(dask_scheduler.workers)
    answers = [list(answer(workers, text)) for text in texts]
    return {"total": total, "said": len(workers), "live": live, "answers": answers}


def free(dask_worker: Any = None) -> dict[str, Any]:
    """Free a worker's unused memory, on its event loop, so no task starts meanwhile."""
    if dask_worker.state.executing_count:
        return {"status": "busy"}
    return given_back()
