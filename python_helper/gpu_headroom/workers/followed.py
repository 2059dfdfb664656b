"""The processes that this notebook sends its work to, whichever engine they are of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..readings.merge import plain_uuid
from .cards import Answer, Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from ..protocol.wire import CardShare, Followed, FollowedWorkers, WorkerCard
    from ..readings.snapshot import DeviceReading

    class Engine(Protocol):
        """Who sends work elsewhere, as far as it is known by now; nothing here waits for it."""

        def followed(self) -> Followed | None:
            """Return how many workers there are; `None` where it is not there."""

        def answer(self, question: Question) -> Answer:
            """Return their cards."""


class Workers:
    """All workers, from what is known by now: any thread may ask."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self._engines = engines

    def in_use_bytes(self) -> int | None:
        """Return what all workers have in use; `None` where there are none."""
        there = [engine for engine in self._engines if engine.followed()]
        return sum(engine.answer(Question()).in_use_bytes for engine in there) if there else None

    def short(self, devices: Sequence[DeviceReading]) -> FollowedWorkers | None:
        """Return what there is in short, with what stands on the `devices` of the kernel."""
        engines = [there for engine in self._engines if (there := engine.followed())]
        if not engines:
            return None
        found = self.answer(Question())
        return {
            "engines": engines,
            "in_use_bytes": found.in_use_bytes,
            "fullest": found.fullest,
            "here": list(_here(found.cards, devices)),
        }

    def answer(self, question: Question) -> Answer:
        """Return the cards of all engines."""
        answers = [engine.answer(question) for engine in self._engines]
        if len(answers) == 1:
            return answers[0]
        from .joining import joined

        return joined(answers)


def _here(cards: Iterable[WorkerCard], devices: Sequence[DeviceReading]) -> Iterable[CardShare]:
    """Return what workers of this machine hold on a device, where that can be of its outside."""
    here = os.uname().nodename
    mine = {plain_uuid(device.uuid): device for device in devices if device.uuid}
    for card in cards:
        device = mine.get(plain_uuid(card["uuid"] or ""))
        held = card["in_use_bytes"] + card["cached_bytes"]
        if device and card["host"] == here and 0 < held <= (device.outside_bytes or 0):
            there = [worker for worker in card["workers"] if worker["state"] != "ended"]
            count = len(there) + card["more_workers"]
            yield {"device_index": device.index, "workers": count, "bytes": held}
