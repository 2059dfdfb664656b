"""The processes that this notebook sends its work to, whichever engine they are of."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from .. import system
from ..frameworks.imported import imported
from ..readings.merge import plain_uuid
from .cards import Answer, Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol

    from ..protocol.wire import CardShare, Followed, FollowedWorkers, Report, WorkerCard
    from ..readings.snapshot import DeviceReading

    class Engine(Protocol):
        """Who sends work elsewhere, as far as it is known by now; nothing here waits for it."""

        def followed(self) -> Followed | None:
            """Return how many workers there are; `None` where it is not there."""

        def answer(self, question: Question) -> Answer:
            """Return their cards."""


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
        return sum(engine.answer(Question()).in_use_bytes for engine in there) if there else None

    def short(self, devices: Sequence[DeviceReading]) -> FollowedWorkers | None:
        """Return what there is in short, with what stands on the `devices` of the kernel."""
        engines = list(self._followed())
        if not engines:
            return None
        found = self.answer(Question())
        return {
            "engines": engines,
            "in_use_bytes": found.in_use_bytes,
            "fullest": found.fullest,
            "here": list(_here(found.cards, devices)),
        }

    def told_beside(self, report: Report) -> Report:
        """Return a report of a worker with what the others tell of it, where that was brought."""
        others = brought("advice.other_workers")
        if others is None:
            return report
        told: Report = others.told_beside(report, self.answer(Question()).cards)
        return told

    def answer(self, question: Question) -> Answer:
        """Return the cards of all engines."""
        answers = [engine.answer(question) for engine in self._engines.values()]
        if len(answers) == 1:
            return cast("Answer", answers[0])
        from .joining import joined

        return joined(answers)

    def _followed(self) -> Iterator[Followed]:
        for name in ("rank", *_ENGINES.values()):
            engine = self.engine(name)
            found: Any = engine and engine.followed()
            if found:
                yield found
        for module, kind in _ENGINES.items():
            if imported(module) is not None and kind not in self._engines:
                unknown: Any = {
                    "engine": kind,
                    "state": "not_measured",
                    "silent_s": None,
                    "message": None,
                    **dict.fromkeys(("total", "live", "left_over"), 0),
                }
                yield unknown


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
