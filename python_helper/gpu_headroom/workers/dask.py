"""Workers of Dask: the helper goes to them as a plugin, what they say comes with their heartbeats.

All that waits for the cluster does so on a thread of ours. The scheduler makes the summary, so that
of a thousand workers no more comes here than of three.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..concurrency import threads
from ..frameworks.imported import imported
from ..text.format import format_error
from ..text.messages import message
from .asked import NOTHING, Asked
from .cards import Done, engine_of
from .travel import BUSY_S, REST_S, Told, by_value, outcome_of, pack
from .words import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..errors.remote import RemoteWorker
    from ..protocol.generated.wire import Followed, Message
    from .cards import Answer

    Busy = Callable[[], bool]

_CUT_OFF = "connecting"  # again, for half a minute; then it is closed
_HEARD_S = 1.2  # until what a worker says is of now
_SENT = "workers/cards.py", "workers/arriving.py", "workers/dask_plugin.py"


class DaskEngine:
    """The workers of the notebook's Dask client."""

    def __init__(self, life_id: str, busy: Busy) -> None:
        self._name = f"gpu-headroom-{life_id}"
        self._busy = busy
        self._client: Any = None
        self._there: dict[str, Any] = {}  # what was executed of `dask_plugin.py`
        self._state = "not_measured"
        self._said: Message | None = None
        self._total = self._live = 0
        self._failures = Told()
        self._bell = threads.Bell()
        self._asked = Asked(self._bell)

    # --- What is known by now -----------------------------------------------

    def followed(self) -> Followed | None:
        """Return how many workers there are; `None` where no client is."""
        client = _client(self._client)
        if client is None:
            return None
        self._asked.look()
        is_followed = client is self._client and self._state == "measured"
        silent_s = self._asked.silent_s() if is_followed else None
        state = self._state if client is self._client else "not_measured"
        counts = (self._total, self._live) if is_followed else (_count(client), 0)
        return engine_of("dask", counts, state, silent_s, self._said)

    def answer(self, text: str) -> Answer:
        """Return the cards as they were told last; what was not asked before is asked at once."""
        is_followed = self._client is not None and self._state == "measured"
        return self._asked.answer(text) if is_followed else NOTHING

    def take(self, text: str, _: RemoteWorker) -> dict[str, Any]:
        """Return how a worker explains an error, by its text: nothing else is known of it."""
        return self._failures.take(text)

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
        self._state = "not_measured"
        self._asked.forget()
        self._bell.ring()
        if client is not None and client.status in {"running", _CUT_OFF}:
            threads.start(lambda: self._end(client))

    def act(self, worker_id: str, action: str) -> Done:
        """Free what a worker does not need; waits for the cluster."""
        client, address = self._client, worker_id.partition(":")[2]
        try:
            # Asked for by name: `scheduler_info` of some versions knows five workers.
            if client is None or action != "free" or not client.nthreads([address]):
                return Done("refused", message("worker.gone", TEXTS))
            (found,) = client.run(self._there["free"], workers=[address]).values()
            time.sleep(_HEARD_S)
            self._ask(client)
        except Exception as error:  # noqa: BLE001  the engine's own, or of its network
            return Done("failed", message("worker.failed", TEXTS, error=format_error(error)))
        return outcome_of(found)

    def _begin(self, client: Any) -> None:
        """Send the helper, and ask what it says for as long as it is there."""
        try:
            self._there = self._there or by_value(*_SENT)
            kernel = socket.gethostname(), os.getpid()
            client.register_plugin(self._there["GpuHeadroom"](self._name, kernel, pack()))
            client.subscribe_topic(self._name, self._heard)
        except Exception as error:  # noqa: BLE001  a cluster that forbids it, or that is gone
            if client is self._client:
                self._state = "not_measured"
                self._said = message("worker.not_followed", TEXTS, error=format_error(error))
            return
        while client is self._client and client.status in {"running", _CUT_OFF}:
            if self._busy() or self._asked.is_looked_at():
                self._ask(client)
            soon = self._busy() or self._said is not None
            self._bell.wait(BUSY_S if soon else REST_S)
        if client is self._client:
            self._client, self._state = None, "not_measured"

    def _ask(self, client: Any) -> None:
        try:
            asked = self._asked.texts
            told = client.run_on_scheduler(self._there["look"], asked)
            self._asked.enter(asked, told["answers"])
        except Exception as error:  # noqa: BLE001  as above
            self._said = message("worker.failed", TEXTS, error=format_error(error))
            return
        self._total, self._live = told["total"], told["live"]
        self._state, self._said = "measured", None
        if not told["said"] and told["total"]:
            self._said = message("worker.silent", TEXTS)

    def _heard(self, event: Any) -> None:
        """Keep what a worker tells of a failure; on the client's loop."""
        with suppress(Exception):
            _, said = event
            rank = int(said["name"]) if said["name"].isdecimal() else None
            self._failures.enter("dask", said["text"], {**said, "rank": rank})

    def _end(self, client: Any) -> None:
        while client.status == _CUT_OFF:
            time.sleep(BUSY_S)
        with suppress(Exception):
            client.unsubscribe_topic(self._name)
            client.unregister_worker_plugin(self._name)


Engine = DaskEngine


def _client(followed: Any = None) -> Any:
    """Return the notebook's client, if it has one that works, or the one that is followed."""
    module = imported("distributed.client")
    with suppress(Exception):
        # As `default_client` looks them up, which changes what it looks at.
        clients = module._global_clients.copy()  # noqa: SLF001  see above
        for _, client in sorted(clients.items(), reverse=True):
            if client.status == "running" or (client is followed and client.status == _CUT_OFF):
                return client
    return None


def _count(client: Any) -> int:
    """Return how many workers a client has last heard of; nobody is asked."""
    with suppress(Exception):
        identity = client._scheduler_identity  # noqa: SLF001  `scheduler_info` asks the scheduler
        return int(identity.get("n_workers", len(identity.get("workers", ()))))
    return 0
