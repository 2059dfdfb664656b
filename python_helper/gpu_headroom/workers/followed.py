"""The processes that this notebook sends its work to, whichever engine they are of."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .. import system
from ..frameworks.imported import imported
from ..readings.merge import plain_uuid
from .cards import MOST, Answer, engine_of, share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol

    from ..protocol.generated.wire import CardShare, Followed, FollowedWorkers, Report, WorkerCard
    from ..readings.snapshot import DeviceReading

    class Engine(Protocol):
        """Who sends work elsewhere, as far as it is known by now; nothing here waits for it."""

        def followed(self) -> Followed | None:
            """Return how many workers there are; `None` where it is not there."""

        def answer(self, text: str) -> Answer:
            """Return their cards, with the workers that match a text."""


# What a person imports, and which engine that is: `workers/<name>.py`, class `Engine`. They come
# with a pack of their own.
_ENGINES = {"distributed": "dask", "ipyparallel": "ipyparallel", "ray": "ray"}


def brought(name: str) -> Any:
    """Return a module of a pack that is brought on first need; `None` until then."""
    try:
        return import_module(f"..{name}", __package__)
    except ModuleNotFoundError:
        return None


class Workers:
    """All workers, from what is known by now: any thread may ask."""

    def __init__(self, life_id: str, busy: Callable[[], bool], ranks: Engine) -> None:
        self._life = life_id, busy
        self._engines: dict[str, Any] = {"rank": ranks}

    def engine(self, name: str) -> Any:
        """Return an engine that is there, by its name; `None` where it is not."""
        for module, kind in _ENGINES.items():
            if kind == name and kind not in self._engines and imported(module) is not None:
                found = brought(f"workers.{kind}")
                if found is None:
                    return None
                self._engines[kind] = found.Engine(*self._life)
        return self._engines.get(name)

    def close(self) -> None:
        """Take back what was put into workers."""
        for name, engine in list(self._engines.items()):
            if name != "rank":
                engine.unfollow()

    def in_use_bytes(self) -> int | None:
        """Return what all workers have in use; `None` where none are measured."""
        there = [engine for engine in self._engines.values() if engine.followed()]
        return sum(engine.answer("").in_use_bytes for engine in there) if there else None

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

    def told_beside(self, report: Report) -> Report:
        """Return a report of a worker with what the others tell of it, where that was brought."""
        others = brought("advice.other_workers")
        if others is None:
            return report
        told: Report = others.told_beside(report, self.answer().cards)
        return told

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
