"""Engines of ipyparallel: the helper is sent as a call, readings come with the outputs.

Readings also arrive while an engine is busy. All waiting for engines happens on a thread of the
helper, over the notebook's own connection.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..concurrency import threads
from ..frameworks.imported import imported
from ..text.format import format_error
from ..text.messages import message
from ..text.untrusted import parse_json
from .engine_side import FAILED, READING
from .gpus import STALE_S, Answer, Done, WorkerReading, answer, are_devices, engine_of, worker_of
from .travel import BUSY_S, REST_S, SILENT_S, FailureLog, outcome_of, pack, sources
from .words import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..errors.remote import RemoteWorker
    from ..protocol.generated.wire import Followed, Message

    Busy = Callable[[], bool]

_SIDE = "workers.engine_side"
_PATIENCE_S = 5.0  # for an engine that should be idle
_PER_SECOND = 50  # readings, of all engines
_LONGEST = 2**19  # characters of a message
_VIEWS = frozenset({"DirectView", "BroadcastView", "LoadBalancedView"})


class _Engine:
    """An engine that the helper was sent to, with that request and the last reading."""

    def __init__(self, number: int, sent: Any) -> None:
        self.number = number
        self.sent = sent
        self.request: str = sent.msg_ids[0]
        self.said: dict[str, Any] | None = None
        self.received_s = 0.0
        self._counts = {READING: 0, FAILED: 0}
        self._texts: dict[str, str] = {}

    def look(self, client: Any, failed: Callable[[dict[str, Any]], None]) -> None:
        """Read new messages of the engine, checked as data from another process."""
        data = dict(client.metadata.get(self.request, {}).get("data", {}))
        for kind, last in self._counts.items():
            text = data.get(kind)
            if type(text) is not str or text == self._texts.get(kind):
                continue
            self._texts[kind] = text
            content: Any = parse_json(text, list if kind == FAILED else dict, _LONGEST)
            for entry in content or () if kind == FAILED else (content,):
                if type(entry) is not dict or type(entry.get("n")) is not int or entry["n"] <= last:
                    continue
                self._counts[kind] = entry["n"]
                self.received_s = time.monotonic()
                if kind == FAILED:
                    with suppress(KeyError):
                        failed({**entry, "rank": self.number})
                elif are_devices(entry.get("devices")) and type(entry.get("pid")) is int:
                    self.said = {**entry, "host": str(entry.get("host"))[:200]}

    def reading(self, *, idle: bool) -> WorkerReading | None:
        """Return the last reading; `None` before the first."""
        if self.said is None:
            return None
        age_s, names = time.monotonic() - self.received_s, (None, self.number)
        return worker_of(f"ipyparallel:{self.number}", names, self.said, age_s, idle=idle)


class IpyparallelEngine:
    """The engines of the notebook's client."""

    def __init__(self, _: str, busy: Busy) -> None:
        self._busy = busy
        self._client: Any = None
        self._engines: dict[str, _Engine] = {}
        self._refused: str | None = None
        self._failures = FailureLog()
        self._lock = threads.Lock()
        self._bell = threads.Bell()

    # --- Last known state ----------------------------------------------------

    def followed(self) -> Followed | None:
        """Return the number and state of the engines; `None` without a client."""
        client = self._client
        if client is None or _is_closed(client):
            client = _client()
        if client is None:
            return None
        is_followed = client is self._client
        engines = list(self._engines.values()) if is_followed else []
        ages_s = [
            time.monotonic() - engine.received_s for engine in engines if engine.said is not None
        ]
        silent_s = min(ages_s, default=0.0)
        is_silent = is_followed and silent_s > SILENT_S + REST_S
        state = "measured" if ages_s else "following"
        note: Message | None = None
        if is_followed and self._refused:
            note = message("worker.not_followed", TEXTS, error=self._refused)
        counts = len(client._ids), sum(age_s <= STALE_S for age_s in ages_s)  # noqa: SLF001  `ids` is a copy
        state = state if is_followed else "not_measured"
        return engine_of("ipyparallel", counts, state, silent_s if is_silent else None, note)

    def answer(self, text: str) -> Answer:
        """Return the GPUs of the engines that match a filter."""
        return answer(self._readings(), text)

    def take(self, _: str, worker: RemoteWorker) -> dict[str, Any]:
        """Return an engine's report of its failure, by its number, and `others`, a count."""
        self._look()
        return self._failures.take(str(worker.rank))

    # --- Slow work, on the helper's threads ----------------------------------

    def follow(self) -> None:
        """Send the helper to the engines of the current client; returns immediately."""
        client = _client()
        if client is not None and client is not self._client:
            self._client, self._engines, self._refused = client, {}, None
            threads.start(lambda: self._run(client))

    def unfollow(self) -> None:
        """Remove the helper from the engines; returns immediately."""
        client, self._client = self._client, None
        engines, self._engines = self._engines, {}
        self._bell.ring()
        if client is not None and not _is_closed(client):
            threads.start(lambda: _end(client, engines))

    def act(self, worker_id: str, action: str) -> Done:
        """Free the unused memory of an idle engine; waits up to 5 s for it."""
        client, name = self._client, worker_id.partition(":")[2]
        numbers = [engine.number for engine in list(self._engines.values())]
        number = next((candidate for candidate in numbers if str(candidate) == name), None)
        try:
            if client is None or number is None or action != "free":
                return Done("refused", message("worker.gone", TEXTS))
            if not _is_idle(client, number):
                return outcome_of({"status": "busy"})
            sent = _called(client, number, "asked", _SIDE, "free")
            if not sent.wait(_PATIENCE_S):
                client.abort(sent.msg_ids, targets=[number], block=False)
            return outcome_of(sent.get(0) if sent.ready() else {"status": "busy"})
        except Exception as error:  # noqa: BLE001  an error of the engine or the network
            return Done("failed", message("worker.failed", TEXTS, error=format_error(error)))

    def _run(self, client: Any) -> None:
        """Send the helper to each engine, present and future, and read their messages."""
        while client is self._client and not _is_closed(client):
            try:
                self._send(client)
            except Exception as error:  # noqa: BLE001  an error of the engine or the network
                self._refused = format_error(error)
            self._look()
            is_soon = self._busy() or any(engine.said is None for engine in self._engines.values())
            self._bell.wait(BUSY_S if is_soon else REST_S)
        if client is self._client:
            self._client, self._engines = None, {}

    def _send(self, client: Any) -> None:
        by_id = dict(_engines(client))
        self._engines = {key: engine for key, engine in self._engines.items() if key in by_id}
        new = {uuid: number for uuid, number in by_id.items() if uuid not in self._engines}
        every_s = max(1.0, len(by_id) / _PER_SECOND)
        package = pack() if new else None
        for uuid, number in new.items():
            sent = _called(client, number, "begin", package, _SIDE, every_s)
            self._engines[uuid] = _Engine(number, sent)
        for engine in self._engines.values():
            if engine.said is None and engine.sent.ready() and (error := engine.sent.get(0)):
                self._refused = error

    def _look(self) -> None:
        client = self._client
        for engine in list(self._engines.values()):
            with suppress(Exception), self._lock:  # an invalid message: the next one may be valid
                engine.look(client, self._failed)

    def _failed(self, said: dict[str, Any]) -> None:
        self._failures.enter("ipyparallel", str(said["rank"]), said)

    def _readings(self) -> Iterator[WorkerReading]:
        self._look()
        client = self._client
        for engine in list(self._engines.values()):
            reading = client and engine.reading(idle=_is_idle(client, engine.number))
            if reading is not None:
                yield reading


Engine = IpyparallelEngine


def _client() -> Any:
    """Return a connected client from the notebook's names or of `%px`; `None` without one."""
    kind = getattr(imported("ipyparallel.client.client"), "Client", None)
    shell = getattr(imported("IPython"), "get_ipython", lambda: None)()
    if kind is None or shell is None:
        return None
    with suppress(Exception):
        magics = dict.get(shell.magics_manager.registry, "ParallelMagics")
        for value in [*reversed(list(shell.user_ns.values())), getattr(magics, "view", None)]:
            # Read from the view's trait table: its `client` attribute might look for engines.
            is_view = type(value).__name__ in _VIEWS and "_trait_values" in vars(value)
            client = vars(value)["_trait_values"].get("client") if is_view else value
            if type(client) is kind and not _is_closed(client):
                return client
    return None


def _is_closed(client: Any) -> bool:
    return bool(client._closed)  # noqa: SLF001  there is no public attribute


def _engines(client: Any) -> Iterator[tuple[str, int]]:
    """Yield the id and number of each engine; a restarted engine has a new id, the same number."""
    uuids = client._engines  # noqa: SLF001  as above
    for number in list(client._ids):  # noqa: SLF001  as above
        if number in uuids:
            yield uuids[number], number


def _is_idle(client: Any, number: int) -> bool:
    """Whether this client has no outstanding request at an engine; sends none."""
    uuid = dict.get(client._engines, number)  # noqa: SLF001  as above
    return not dict.get(client._outstanding_dict, uuid)  # noqa: SLF001  as above


def _called(client: Any, number: int, function: str, *given: Any) -> Any:
    """Call a function in an engine once it is idle, without an entry in the client's history.

    The source is sent as text: this depends on no serialization setting of the user, and defines no
    name in the engine.
    """
    source = sources()["workers/arriving.py"]
    call = f"exec(source, globals()) or {function}(*given)"
    view = client.direct_view(number)
    sent = view.apply_async(eval, call, {"source": source, "given": given, "__name__": "__main__"})
    with suppress(ValueError):
        client.history.remove(sent.msg_ids[0])
    return sent


def _end(client: Any, engines: dict[str, _Engine]) -> None:
    """Remove the helper from the engines, from each as soon as it is idle."""
    by_id = dict(_engines(client))
    with suppress(Exception):
        sent = [
            _called(client, number, "end", _SIDE) for key, number in by_id.items() if key in engines
        ]
        while not _is_closed(client) and not all(request.ready() for request in sent):
            time.sleep(BUSY_S)
    for engine in engines.values():
        client.metadata.pop(engine.request, None)
