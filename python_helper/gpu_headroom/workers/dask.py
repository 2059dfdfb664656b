"""Dask workers: the helper is installed as a plugin, readings come with the heartbeats.

All waiting for the cluster happens on a thread of the helper. The scheduler makes the summary, so
the kernel receives as much for a thousand workers as for three.
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
from .gpus import Done, engine_of
from .travel import BUSY_S, REST_S, FailureLog, by_value, outcome_of, pack
from .words import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..errors.remote import RemoteWorker
    from ..protocol.generated.wire import Followed, Message
    from .gpus import Answer

    Busy = Callable[[], bool]

_CUT_OFF = "connecting"  # reconnecting, for half a minute; then the client is closed
_HEARD_S = 1.2  # until a reading from after the release has arrived
_SENT = "workers/gpus.py", "workers/arriving.py", "workers/dask_plugin.py"


class DaskEngine:
    """The workers of the notebook's Dask client."""

    def __init__(self, helper_id: str, busy: Busy) -> None:
        self._name = f"gpu-headroom-{helper_id}"
        self._busy = busy
        self._client: Any = None
        self._there: dict[str, Any] = {}  # the objects that `dask_plugin.py` defines
        self._state = "not_measured"
        self._said: Message | None = None
        self._total = self._live = 0
        self._failures = FailureLog()
        self._bell = threads.Bell()
        self._asked = Asked(self._bell)

    # --- Last known state ----------------------------------------------------

    def followed(self) -> Followed | None:
        """Return the number and state of the workers; `None` without a client."""
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
        """Return the last known GPUs for a filter; a new filter is queried without delay."""
        is_followed = self._client is not None and self._state == "measured"
        return self._asked.answer(text) if is_followed else NOTHING

    def take(self, text: str, _: RemoteWorker) -> dict[str, Any]:
        """Return a worker's analysis of an error, by the error's text, the only key there is."""
        return self._failures.take(text)

    # --- Slow work, on the helper's threads ----------------------------------

    def follow(self) -> None:
        """Install the helper in the workers of the current client; returns immediately."""
        client = _client()
        if client is None or (client is self._client and self._state != "not_measured"):
            return
        self._client, self._state, self._said = client, "following", None
        threads.start(lambda: self._begin(client))

    def unfollow(self) -> None:
        """Remove the helper from the workers; returns immediately."""
        client, self._client = self._client, None
        self._state = "not_measured"
        self._asked.forget()
        self._bell.ring()
        if client is not None and client.status in {"running", _CUT_OFF}:
            threads.start(lambda: self._end(client))

    def act(self, worker_id: str, action: str) -> Done:
        """Free the unused memory of a worker; waits for the cluster."""
        client, address = self._client, worker_id.partition(":")[2]
        try:
            # By address: `scheduler_info` of some versions lists only five workers.
            if client is None or action != "free" or not client.nthreads([address]):
                return Done("refused", message("worker.gone", TEXTS))
            (reply,) = client.run(self._there["free"], workers=[address]).values()
            time.sleep(_HEARD_S)
            self._ask(client)
        except Exception as error:  # noqa: BLE001  an error of the engine or the network
            return Done("failed", message("worker.failed", TEXTS, error=format_error(error)))
        return outcome_of(reply)

    def _begin(self, client: Any) -> None:
        """Register the plugin, then query the workers until the client is closed or unfollowed."""
        try:
            self._there = self._there or by_value(*_SENT)
            kernel = socket.gethostname(), os.getpid()
            client.register_plugin(self._there["GpuHeadroom"](self._name, kernel, pack()))
            client.subscribe_topic(self._name, self._heard)
        except Exception as error:  # noqa: BLE001  the cluster forbids it, or is gone
            if client is self._client:
                self._state = "not_measured"
                self._said = message("worker.not_followed", TEXTS, error=format_error(error))
            return
        while client is self._client and client.status in {"running", _CUT_OFF}:
            if self._busy() or self._asked.is_looked_at():
                self._ask(client)
            is_soon = self._busy() or self._said is not None
            self._bell.wait(BUSY_S if is_soon else REST_S)
        if client is self._client:
            self._client, self._state = None, "not_measured"

    def _ask(self, client: Any) -> None:
        try:
            filters = self._asked.texts
            answer = client.run_on_scheduler(self._there["look"], filters)
            self._asked.enter(filters, answer["answers"])
        except Exception as error:  # noqa: BLE001  as above
            self._said = message("worker.failed", TEXTS, error=format_error(error))
            return
        self._total, self._live = answer["total"], answer["live"]
        self._state, self._said = "measured", None
        if not answer["said"] and answer["total"]:
            self._said = message("worker.silent", TEXTS)

    def _heard(self, event: Any) -> None:
        """Store a failure that a worker has published; runs on the client's event loop."""
        with suppress(Exception):
            _, fields = event
            rank = int(fields["name"]) if fields["name"].isdecimal() else None
            self._failures.enter("dask", fields["text"], {**fields, "rank": rank})

    def _end(self, client: Any) -> None:
        while client.status == _CUT_OFF:
            time.sleep(BUSY_S)
        with suppress(Exception):
            client.unsubscribe_topic(self._name)
            client.unregister_worker_plugin(self._name)


Engine = DaskEngine


def _client(followed: Any = None) -> Any:
    """Return the newest running client of the notebook, or `followed` while it reconnects."""
    module = imported("distributed.client")
    with suppress(Exception):
        # The lookup of `default_client`, which would modify the table.
        clients = module._global_clients.copy()  # noqa: SLF001  see above
        for _, client in sorted(clients.items(), reverse=True):
            if client.status == "running" or (client is followed and client.status == _CUT_OFF):
                return client
    return None


def _count(client: Any) -> int:
    """Return the client's last known number of workers, without a request."""
    with suppress(Exception):
        identity = client._scheduler_identity  # noqa: SLF001  `scheduler_info` asks the scheduler
        return int(identity.get("n_workers", len(identity.get("workers", ()))))
    return 0
