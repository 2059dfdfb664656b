"""Workers of Dask: the helper goes to them as a plugin, what they say comes with their heartbeats.

All that waits for the cluster does so on a thread of ours. The scheduler makes the summary, so that
of a thousand workers no more comes here than of three.
"""

from __future__ import annotations

import bz2
import json
import os
import socket
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..concurrency import threads
from ..frameworks.imported import imported
from ..kernel import injection
from ..protocol.checking import PROTOCOL_VERSION
from ..text.format import format_error
from ..text.messages import message
from .cards import Answer, Done, Question
from .words import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..protocol.wire import Followed, Message

    Busy = Callable[[], bool]

_BUSY_S, _REST_S = 1.0, 5.0  # from one question to the next
_ASKED_S = 15.0  # so long after somebody looked there is somebody who looks
_SILENT_S = 5.0
_KEPT = 100  # failures, until they are taken
_KEPT_S = 600.0
_TOLD = "text", "found", "host", "name", "pid"
_LONGEST, _NAME = 2**16, 200  # characters
_NOTHING = Answer(0, None, [], 0, [], 0)
# What a worker needs none of: the kernel's life, its pages, what is given back there.
_STAYS = ("frames/", "handlers/", "release/", "render/", "session/", "terminal/", "trends/")


class _Failed(NamedTuple):
    """A failure that a worker has told of; `text` is as its error is shown there."""

    time_s: float
    text: str
    found: str
    worker: dict[str, Any]


class Engine:
    """The workers of the notebook's Dask client."""

    def __init__(self, life_id: str, busy: Busy) -> None:
        self._name = f"gpu-headroom-{life_id}"
        self._busy = busy
        self._client: Any = None
        self._there: dict[str, Any] = {}  # what was executed of `dask_plugin.py`
        self._state = "not_measured"
        self._said: Message | None = None
        self._questions = [Question()]
        self._answers: dict[Question, Answer] = {}
        self._total = self._live = 0
        self._asked_s = float("-inf")
        self._answered_s = 0.0
        self._failures: deque[_Failed] = deque(maxlen=_KEPT)
        self._bell = threads.Bell()

    # --- What is known by now -----------------------------------------------

    def followed(self) -> Followed | None:
        """Return how many workers there are; `None` where no client is."""
        client = _client()
        if client is None:
            return None
        self._asked_s = now_s = time.monotonic()
        is_followed = client is self._client and self._state == "measured"
        silent_s = now_s - self._answered_s if is_followed else 0.0
        is_silent = silent_s > _SILENT_S + _REST_S
        state: Any = self._state if client is self._client else "not_measured"
        return {
            "engine": "dask",
            "total": self._total if is_followed else _count(client),
            "live": self._live if is_followed else 0,
            "left_over": 0,
            "state": "silent" if is_silent else state,
            "silent_s": silent_s if is_silent else None,
            "message": self._said,
        }

    def answer(self, question: Question) -> Answer:
        """Return the cards as they were told last; what was not asked before is asked at once."""
        if self._client is None or self._state != "measured":
            return _NOTHING
        self._asked_s = time.monotonic()
        if question not in self._questions:
            self._questions = [Question(), question]
            self._bell.ring()
        return self._answers.get(question, _NOTHING)

    def take(self, text: str) -> dict[str, Any]:
        """Return how a worker explains an error, by its text; and how many `others` failed."""
        now_s = time.monotonic()
        fresh = [each for each in list(self._failures) if now_s - each.time_s < _KEPT_S]
        found = next((each for each in reversed(fresh) if each.text == text), None)
        if found is None:
            return {}
        self._failures.clear()
        left = json.loads(found.found)
        left["report"]["worker"] = found.worker
        return {**left, "others": len(fresh) - 1}

    # --- What takes its time, on threads of ours ----------------------------

    def follow(self) -> None:
        """Put the helper into the workers of the client that is there; returns at once."""
        client = _client()
        if client is None or (client is self._client and self._state != "not_measured"):
            return
        self._client, self._state, self._said = client, "following", None
        threads.start(lambda: self._begin(client))

    def unfollow(self) -> None:
        """Take it back; returns at once."""
        client, self._client = self._client, None
        self._state, self._answers = "not_measured", {}
        self._bell.ring()
        if client is not None and client.status == "running":
            threads.start(lambda: self._end(client))

    def act(self, worker_id: str, action: str) -> Done:
        """Free what a worker does not need, or restart it; waits for the cluster."""
        client, address = self._client, worker_id.partition(":")[2]
        try:
            if client is None or address not in client.scheduler_info()["workers"]:
                return Done("refused", message("worker.gone"))
            if action == "restart":
                client.restart_workers([address])
                return Done("done", message("worker.restarted", TEXTS))
            found = client.run(self._there["free"], workers=[address])[address]
        except Exception as error:  # noqa: BLE001  the engine's own, or of its network
            return Done("failed", message("worker.failed", TEXTS, error=format_error(error)))
        said = {"busy": "worker.busy", "nothing": "worker.nothing"}.get(found["status"])
        if said is not None:
            return Done("refused" if said == "worker.busy" else "nothing", message(said, TEXTS))
        freed, returned = found["freed_bytes"], found["returned_bytes"]
        text = message("worker.freed", TEXTS, freed_bytes=freed, returned_bytes=returned)
        return Done("done" if freed or returned else "nothing", text, freed, returned)

    def _begin(self, client: Any) -> None:
        """Send the helper, and ask what it says for as long as it is there."""
        try:
            self._there = self._there or _by_value()
            kernel = socket.gethostname(), os.getpid()
            client.register_plugin(self._there["GpuHeadroom"](self._name, kernel, _pack()))
            client.subscribe_topic(self._name, self._heard)
        except Exception as error:  # noqa: BLE001  a cluster that forbids it, or that is gone
            if client is self._client:
                self._state = "not_measured"
                self._said = message("worker.not_followed", TEXTS, error=format_error(error))
            return
        while client is self._client and client.status == "running":
            now_s = time.monotonic()
            if self._busy() or now_s - self._asked_s < _ASKED_S:
                self._ask(client)
            soon = self._busy() or self._said is not None
            self._bell.wait(_BUSY_S if soon else _REST_S)
        if client is self._client:
            self._client, self._state = None, "not_measured"

    def _ask(self, client: Any) -> None:
        try:
            asked = self._questions
            told = client.run_on_scheduler(self._there["look"], [tuple(each) for each in asked])
            answers = [Answer(*each) for each in told["answers"]]
        except Exception as error:  # noqa: BLE001  as above
            self._said = message("worker.failed", TEXTS, error=format_error(error))
            return
        self._total, self._live = told["total"], told["live"]
        self._answers = dict(zip(asked, answers, strict=True))
        self._answered_s = time.monotonic()
        self._state, self._said = "measured", None
        if not told["said"] and told["total"]:
            self._said = message("worker.silent", TEXTS)

    def _heard(self, event: Any) -> None:
        """Keep what a worker tells of a failure; on the client's loop."""
        with suppress(Exception):
            _, said = event
            text, found, host, name, pid = (said[key] for key in _TOLD)
            if len(found) <= _LONGEST and all(type(each) is str for each in (text, host, name)):
                rank = int(name) if name.isdecimal() else None
                worker = {"engine": "dask", "rank": rank, "pid": int(pid), "host": host[:_NAME]}
                self._failures.append(_Failed(time.monotonic(), text, found, worker))

    def _end(self, client: Any) -> None:
        with suppress(Exception):
            client.unsubscribe_topic(self._name)
            client.unregister_worker_plugin(self._name)


def _client() -> Any:
    """Return the notebook's client, if it has one that works."""
    module = imported("distributed.client")
    with suppress(Exception):
        # As `default_client` looks them up, which changes what it looks at.
        clients = module._global_clients.copy()  # noqa: SLF001  see above
        for _, client in sorted(clients.items(), reverse=True):
            if client.status == "running":
                return client
    return None


def _count(client: Any) -> int:
    """Return how many workers a client has last heard of; nobody is asked."""
    with suppress(Exception):
        identity = client._scheduler_identity  # noqa: SLF001  `scheduler_info` asks the scheduler
        return int(identity.get("n_workers", len(identity.get("workers", ()))))
    return 0


def _by_value() -> dict[str, Any]:
    """Return what is sent to the cluster: defined where nobody can import it from."""
    sources, space = _sources(), {"__name__": "__main__"}
    for path in ("workers/cards.py", "workers/dask_plugin.py"):
        exec(compile(sources[path], f"<{injection.PACKAGE}>/{path}", "exec"), space)  # noqa: S102  our own text
    return space


def _pack() -> tuple[bytes, str, str]:
    """Return the helper as it goes to a worker that lacks it: its modules, protocol, version."""
    sources = {path: text for path, text in _sources().items() if not path.startswith(_STAYS)}
    major = PROTOCOL_VERSION.partition(".")[0]
    return bz2.compress(json.dumps(sources).encode()), major, injection.helper_version()


def _sources() -> dict[str, str]:
    """Return the modules of the helper by their paths, wherever they came from."""
    brought = injection.finder()
    if brought is not None:
        return brought.sources
    folder = Path(__file__).parents[1]
    files = sorted(folder.rglob("*.py"))
    return {str(file.relative_to(folder)): file.read_text("utf-8") for file in files}
