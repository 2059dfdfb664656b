"""The helper in an engine of ipyparallel; readings are published with the engine's outputs.

An engine is an IPython kernel without a front end: it has no reports and no cells of its own.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..concurrency import threads
from ..frameworks.imported import imported
from ..holders.frames import drop_tracebacks
from ..kernel.injection import live
from .arriving import given_back
from .aside import Aside

if TYPE_CHECKING:
    from collections.abc import Iterator

    Task = tuple[str, int]

READING, FAILED = "gpu_headroom", "gpu_headroom_failed"
"""Keys of the published readings and failures, each as JSON."""
_LOOK_S = 0.2
_MOST = 4  # failures in a message
_LONGEST = 2**16  # characters of a failure's analysis
_begun: list[EngineSide] = []


def begin(every_s: float) -> None:
    """Start publishing readings to the client that sent this call, every `every_s` seconds.

    Replaces an earlier client. Raises `RuntimeError` where the helper already runs in this engine.
    """
    if live() is not None:
        raise RuntimeError("The helper runs in this engine already: `%unload_ext gpu_headroom`.")
    end()
    _begun.append(EngineSide(every_s))


def end() -> None:
    """Stop publishing."""
    while _begun:
        _begun.pop().stop()


def free() -> dict[str, Any]:
    """Drop the engine's last traceback and free unused memory; return what was freed.

    No debugger can use that traceback in an engine.
    """
    drop_tracebacks(_shell())
    return given_back()


class EngineSide:
    """Readings and failures, published to the request in which this object was created.

    Only the notebook that sent that request receives them, and none of its cells shows them.
    """

    def __init__(self, every_s: float) -> None:
        self._shell = shell = _shell()
        self._every_s = every_s
        self._publisher = type(shell.data_pub)(
            session=shell.kernel.session, pub_socket=shell.kernel.iopub_socket
        )
        self._publisher.parent_header = dict(shell.data_pub.parent_header)
        self._count = 0
        self._failed: list[dict[str, Any]] = []
        self._waiting: dict[Task, None] = {}
        self._stopping = False
        self._aside = Aside(lambda: dict(_names(shell)), self._task)
        self._aside.start()
        threads.start(self._run)

    def stop(self) -> None:
        """Stop publishing, and remove the publisher from the shell."""
        self._stopping = True
        self._aside.stop()
        configurables = self._shell.configurables
        if self._publisher in configurables:
            configurables.remove(self._publisher)

    def _task(self, _: int) -> Task:
        """Return the current request, and the identity of the error shown before it."""
        task = self._request(), _last_error()
        self._waiting[task] = None
        return task

    def _request(self) -> str:
        return str(self._shell.data_pub.parent_header.get("msg_id"))

    def _run(self) -> None:
        next_s = time.monotonic()
        while not self._stopping:
            with suppress(Exception):  # there is no one to report it to
                if self._looked_at_failures():
                    self._publisher.publish_data({FAILED: json.dumps(self._failed)})
                if time.monotonic() >= next_s:
                    next_s = time.monotonic() + self._every_s
                    self._publisher.publish_data({READING: json.dumps(self._reading())})
            time.sleep(_LOOK_S)

    def _reading(self) -> dict[str, Any]:
        self._count += 1
        devices = self._aside.devices
        return {"n": self._count, **_who(), "devices": devices}

    def _looked_at_failures(self) -> bool:
        """Collect the analyses of failed requests; return whether there is a new one.

        The analysis of a caught error is discarded with the next request: no other error was shown
        by then.
        """
        is_new = False
        for task in self._waiting.copy():
            request, error = task
            has_failed = _last_error() != error
            if has_failed or request != self._request():
                del self._waiting[task]
                analysis = self._aside.take(task)
                text = json.dumps(analysis) if has_failed and analysis is not None else ""
                if 0 < len(text) <= _LONGEST:
                    self._count += 1
                    failure = {"n": self._count, **_who(), "found": text}
                    self._failed = [*self._failed, failure][-_MOST:]
                    is_new = True
        return is_new


def _who() -> dict[str, Any]:
    return {"pid": os.getpid(), "host": socket.gethostname()}


def _last_error() -> int:
    """Return the id of the last shown error; IPython keeps it alive, so the id is unique."""
    return id(getattr(sys, "last_value", None))


def _names(shell: Any) -> Iterator[tuple[str, Any]]:
    """Yield the user's names in an engine, and the entries of `Out`."""
    hidden, space = shell.user_ns_hidden, shell.user_ns.copy()
    for name, value in space.items():
        if name not in hidden and not name.startswith("_"):
            yield name, value
    outputs = space.get("Out")
    if type(outputs) is dict:
        yield from ((f"Out[{count}]", value) for count, value in outputs.copy().items())


def _shell() -> Any:
    return imported("IPython").get_ipython()
