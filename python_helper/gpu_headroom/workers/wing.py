"""The wing of the processes that this notebook sends its work to, whichever engine they are of."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .. import system
from ..frameworks.imported import imported
from ..own import bring
from ..readings.merge import plain_uuid
from ..session.wing import Wing
from .cards import MOST, Answer, engine_of, share
from .ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..errors.recognise import Recognition
    from ..handlers.dispatcher import Handlers
    from ..protocol.generated import wire
    from ..protocol.generated.wire import CardShare, Followed, FollowedWorkers, WorkerCard
    from ..readings.snapshot import DeviceReading, DeviceSnapshot
    from ..session.wing import Host
    from .failure import LeftFailure

# What a person imports, and which engine that is: `workers/<name>.py`, class `Engine`. They come
# with a pack of their own.
_ENGINES = {"distributed": "dask", "ipyparallel": "ipyparallel", "ray": "ray"}
_RANK_S = 2.0  # of processor time in a rank that ends: nothing waits for it


class Workers(Wing):
    """All workers, from what is known by now: any thread may ask."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.ranks = Ranks(host.life_id, host.ledger, host.await_cuda, self._explain_rank)
        self._engines: dict[str, Any] = {"rank": self.ranks}

    # --- What the helper asks of it -------------------------------------------

    def prepare(self) -> None:
        """Have what is started from now on tell what it holds."""
        self.ranks.open()

    def close(self) -> None:
        """Follow no more."""
        self.unfollow()
        self.ranks.close()

    def handlers(self) -> Handlers:
        """Return what answers requests about workers, where that was brought."""
        requests = bring(".workers.requests")
        found: Handlers = {} if requests is None else requests.WorkerRequests(self).by_kind
        return found

    def complete_sample(self, sample: wire.Sample, snapshot: DeviceSnapshot) -> None:
        """Set what there is in short."""
        sample["workers"] = self.short(snapshot.devices)

    def in_use_elsewhere(self) -> int | None:
        """Return what all workers have in use; `None` where none are measured."""
        there = [engine for engine in self._engines.values() if engine.followed()]
        return sum(engine.answer("").in_use_bytes for engine in there) if there else None

    def worker_failure(self, recognition: Recognition) -> LeftFailure | None:
        """Return what a worker has left of its failure."""
        from .failure import LeftFailure, as_text
        from .report import is_of

        worker = recognition.worker
        if worker is None:
            return None
        left: dict[str, Any] = {}
        take = None
        if worker.engine == "command":
            left = self.ranks.take(worker.pid, worker.rank)
            if not is_of(left.get("report"), recognition.said):
                left = {}
        elif worker.engine == "rank":
            left = {} if worker.pid is None else self.ranks.take(worker.pid)
        elif (engine := self.engine(worker.engine)) is not None:
            take = partial(engine.take, as_text(recognition.error), worker)
            left = take()
        return LeftFailure(self.host, lambda: self.answer().cards, left, take)

    def status(self) -> str:
        """Return what is known by now of the workers' GPUs, in words."""
        console = bring(".workers.console")
        return "" if console is None or self.short(()) is None else console.summarise(self.host)

    # --- The engines ------------------------------------------------------------

    def engine(self, name: str) -> Any:
        """Return an engine that is there, by its name; `None` where it is not."""
        for module, kind in _ENGINES.items():
            if kind == name and kind not in self._engines and imported(module) is not None:
                found = bring(f".workers.{kind}")
                if found is None:
                    return None
                self._engines[kind] = found.Engine(
                    self.host.life_id, lambda: self.host.ledger.running
                )
        return self._engines.get(name)

    def unfollow(self) -> None:
        """Take back what was put into workers."""
        for name, engine in list(self._engines.items()):
            if name != "rank":
                engine.unfollow()

    def short(self, devices: Sequence[DeviceReading]) -> FollowedWorkers | None:
        """Return what there is in short, with what stands on the `devices` of the kernel."""
        engines = list(self._followed())
        if not engines:
            return None
        found = self.answer()
        return {
            "engines": engines,
            "in_use_bytes": found.in_use_bytes,
            "fullest": found.cards[0] if found.cards else None,
            "here": list(_here(found.cards, devices)),
        }

    def answer(self, text: str = "") -> Answer:
        """Return the cards of all engines; one that two of them tell of stands once."""
        answers = [engine.answer(text) for engine in self._engines.values()]
        cards = {card["id"]: card for found in answers for card in found.cards}
        return Answer(
            sum(found.in_use_bytes for found in answers),
            sorted(cards.values(), key=lambda card: -share(card))[:MOST],
            sum(found.total for found in answers),
        )

    def _followed(self) -> Iterator[Followed]:
        for name in ("rank", *_ENGINES.values()):
            engine = self.engine(name)
            found: Any = engine and engine.followed()
            if found:
                yield found
        for module, kind in _ENGINES.items():
            if imported(module) is not None and kind not in self._engines:
                yield engine_of(kind, (0, 0), "not_measured")

    def _explain_rank(self, error: BaseException) -> dict[str, Any] | None:
        """Return the card of a rank that ends by `error`, as it is measured in itself."""
        from .explained import explained

        failure_of = partial(self.host.failures.failure_of, error)
        return explained(error, failure_of, self.host.turn(_RANK_S, asked=False))


def _here(cards: Iterable[WorkerCard], devices: Sequence[DeviceReading]) -> Iterable[CardShare]:
    """Return what workers of this machine hold on a device, where that can be of its outside."""
    here = system.host_name()
    mine = {plain_uuid(device.uuid): device for device in devices if device.uuid}
    for card in cards:
        device = mine.get(plain_uuid(card["uuid"] or ""))
        held = card["in_use_bytes"] + card["cached_bytes"]
        if device and card["host"] == here and 0 < held <= (device.outside_bytes or 0):
            there = [worker for worker in card["workers"] if worker["state"] != "ended"]
            count = len(there) + card["more_workers"]
            yield {"device_index": device.index, "workers": count, "bytes": held}


WING = Workers
