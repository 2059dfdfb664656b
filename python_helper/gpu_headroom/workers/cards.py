"""The GPUs on which workers are, put together from what each worker says of itself.

Pure, and of the standard library only: it also runs where an engine keeps its state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..protocol.wire import Message, WorkerCard, WorkerHost

MOST = 16  # cards or hosts of an answer
_MOST_WORKERS = 8  # of a card
_MOST_DEVICES = 64
_LONGEST = 200  # characters of a name
_NUMBERED = {"dask": "Dask worker", "ipyparallel": "engine"}  # as a page calls them
_SIZE, _TEXT = (int, type(None)), (str, type(None))
_FIELDS: dict[str, tuple[type, ...]] = {
    "index": (int,),
    "uuid": _TEXT,
    "name": _TEXT,
    "simulated": (bool,),
    "capacity_bytes": _SIZE,
    "in_use_bytes": (int,),
    "cached_bytes": (int,),
    "taken_bytes": _SIZE,
}


class WorkerReading(NamedTuple):
    """A process that works for this notebook: what is said of it on each of its cards.

    Of each of its devices: `index`, `uuid`, `name`, `simulated`, `capacity_bytes`, `in_use_bytes`,
    `cached_bytes`, and as `taken_bytes` what is taken of the card, by whomever.
    """

    host: str
    said: dict[str, Any]
    devices: Sequence[dict[str, Any]]


class Question(NamedTuple):
    """Which cards are asked for: of one host or all, whose names have a text, from one on."""

    host: str | None = None
    text: str = ""
    offset: int = 0


class Answer(NamedTuple):
    """The fullest cards and hosts, and how many are behind them."""

    in_use_bytes: int
    fullest: WorkerCard | None
    hosts: list[WorkerHost]
    more_hosts: int
    cards: list[WorkerCard]
    more_cards: int


class Done(NamedTuple):
    """What came of something that was done with a worker; sizes in bytes, `None` not measured."""

    status: str
    said: Message
    freed_bytes: int | None = None
    returned_bytes: int | None = None


def reading_of(devices: Iterable[Any]) -> list[dict[str, Any]]:
    """Return what a worker says of its devices (`DeviceReading`): those that it uses."""
    return [
        {
            **{key: getattr(device, key) for key in _FIELDS if key != "taken_bytes"},
            "taken_bytes": None
            if device.used_bytes is None
            else device.used_bytes + device.cached_bytes,
        }
        for device in devices
        if device.frameworks
    ]


def are_devices(said: object) -> bool:
    """Whether this is what `reading_of` returns, as it came from another process."""
    return type(said) is list and len(said) <= _MOST_DEVICES and all(map(_is_device, said))


def _is_device(said: object) -> bool:
    return (
        type(said) is dict
        and said.keys() == _FIELDS.keys()
        and all(type(said[key]) in kinds for key, kinds in _FIELDS.items())
        and all(value >= 0 for value in said.values() if type(value) is int)
        and all(len(value) <= _LONGEST for value in said.values() if type(value) is str)
    )


def answer(workers: Iterable[WorkerReading], question: Question) -> Answer:
    """Return the cards of `workers`, the one with the least headroom first."""
    cards = cards_of(workers)
    hosts: dict[str, list[WorkerCard]] = {}
    for card in cards:
        hosts.setdefault(card["host"], []).append(card)
    text, first = question.text.lower(), question.offset
    chosen = [
        card
        for card in cards
        if question.host in {None, card["host"]} and (not text or text in _names(card))
    ]
    return Answer(
        sum(card["in_use_bytes"] for card in cards),
        _cut(cards[0]) if cards else None,
        [_host(name, of_it) for name, of_it in list(hosts.items())[:MOST]],
        max(0, len(hosts) - MOST),
        [_cut(card) for card in chosen[first : first + MOST]],
        max(0, len(chosen) - first - MOST),
    )


def cards_of(workers: Iterable[WorkerReading]) -> list[WorkerCard]:
    """Return each card once, with all of its workers; it is the same where its UUID is."""
    groups: dict[str, list[tuple[WorkerReading, dict[str, Any]]]] = {}
    for worker in workers:
        for device in worker.devices:
            key = device["uuid"] or f"{worker.host}/{device['index']}"
            groups.setdefault(key, []).append((worker, device))
    cards = [_card(key, pairs) for key, pairs in groups.items()]
    return sorted(cards, key=lambda card: -share(card))


def _card(key: str, pairs: list[tuple[WorkerReading, dict[str, Any]]]) -> WorkerCard:
    pairs.sort(key=lambda pair: (pair[0].said["state"] == "ended", -pair[1]["in_use_bytes"]))
    there = [pair for pair in pairs if pair[0].said["state"] != "ended"]
    host, first = pairs[0][0].host, pairs[0][1]
    in_use, cached = (
        sum(device[which] for _, device in there) for which in ("in_use_bytes", "cached_bytes")
    )
    # Whoever looked last knows how much is taken.
    taken = next(
        (
            device["taken_bytes"]
            for _, device in sorted(there, key=lambda pair: pair[0].said["age_s"])
            if device["taken_bytes"] is not None
        ),
        None,
    )
    outside = None if taken is None else max(0, taken - in_use - cached)
    said: Any = {
        **first,
        "id": key,
        "host": host,
        "used_bytes": None if outside is None else outside + in_use,
        "in_use_bytes": in_use,
        "cached_bytes": cached,
        "outside_bytes": outside,
        "workers": [
            {**worker.said, **{key: device[key] for key in ("in_use_bytes", "cached_bytes")}}
            for worker, device in pairs
        ],
        "more_workers": 0,
    }
    del said["taken_bytes"]
    card: WorkerCard = said
    return card


def share(card: WorkerCard) -> float:
    """Return used over capacity; less than nothing where that is not known."""
    used, capacity = card["used_bytes"], card["capacity_bytes"]
    return -1.0 if used is None or not capacity else used / capacity


def _host(name: str, cards: list[WorkerCard]) -> WorkerHost:
    fullest = share(cards[0])
    return {
        "name": name,
        "cards": len(cards),
        "workers": len({worker["id"] for card in cards for worker in card["workers"]}),
        "fullest_share": None if fullest < 0 else fullest,
    }


def _names(card: WorkerCard) -> str:
    told = [card["host"], card["name"] or "", card["uuid"] or ""]
    told += [
        worker["name"] or f"{_NUMBERED.get(worker['engine'], 'rank')} {worker['rank']}"
        for worker in card["workers"]
    ]
    return "\n".join(told).lower()


def _cut(card: WorkerCard) -> WorkerCard:
    workers = card["workers"]
    return {
        **card,
        "workers": workers[:_MOST_WORKERS],
        "more_workers": max(0, len(workers) - _MOST_WORKERS),
    }
