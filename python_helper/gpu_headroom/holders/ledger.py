"""Storages found so far: what each is, who holds it, and where it was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TYPE_CHECKING

from .place import UNNAMED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..frameworks.storage import Storage
    from ..protocol.generated.wire import Holder, HolderKind
    from .place import Origin, Place

_MOST_ALIASES = 10_000
_MOST_OF_ONE = 8
_HALVED = 5


@dataclass(slots=True)
class HeldStorage:
    """One storage, at the place where it was first found; `graph`: only an autograd graph has it.

    `also` are other places of the same storage.
    """

    storage: Storage
    place: Place
    graph: bool = False
    also: list[Place] = field(default_factory=list)

    @property
    def kind(self) -> HolderKind:
        """Kind of the storage, as far as the walk found it."""
        return self.place.kind

    @property
    def origin(self) -> Origin:
        """Kind of root that it was reached from."""
        return self.place.origin

    @property
    def root(self) -> str:
        """The variable it was first reached through."""
        return self.place.root

    @property
    def path(self) -> str:
        """The whole way, as the user would write it."""
        return self.place.path


class StorageLedger:
    """Count of each storage, once, for the first place that reaches it."""

    def __init__(self) -> None:
        self._held: dict[object, HeldStorage] = {}
        self.meetings: dict[int, list[Place]] = {}
        """By the `id` of a place: that place, and further places of its object."""
        self._met = 0
        self._shapes: dict[int, Counter[tuple[int, ...]]] = {}

    def __iter__(self) -> Iterator[HeldStorage]:
        return iter(self._held.values())

    def add(self, storage: Storage, place: Place, *, graph: bool = False) -> None:
        """Enter a storage, or another place of one."""
        self._shapes.clear()
        held = self._held.get(storage.key)
        if held is None:
            self._held[storage.key] = HeldStorage(storage, place, graph)
        elif place.rank < held.place.rank:
            held.also.append(held.place)
            held.place, held.graph = place, graph
        elif not graph and _is_other(held.place, place) and len(held.also) < _MOST_OF_ONE:
            held.also.append(place)

    def met_again(self, first: Place, place: Place) -> None:
        """Note that an object was reached from another root, too."""
        if _is_other(first, place) and self._met < _MOST_ALIASES:
            self._met += 1
            self.meetings.setdefault(id(first), [first]).append(place)

    def bytes(self, device_index: int, *, origin: Origin | None = None) -> int:
        """Return the bytes found on a device, from one origin or all."""
        entries = self.on(device_index)
        return sum(held.storage.bytes for held in entries if origin in (None, held.origin))

    def on(self, device_index: int) -> Iterator[HeldStorage]:
        """Yield the storages of one device."""
        return (held for held in self if held.storage.device_index == device_index)

    def bytes_by_kind(self, device_index: int) -> Counter[HolderKind]:
        """Return the bytes found on a device by what they are."""
        totals: Counter[HolderKind] = Counter()
        for held in self.on(device_index):
            totals[held.kind] += held.storage.bytes
        return totals

    def largest(self, device_index: int, *origins: Origin, count: int = 5) -> list[Holder]:
        """Return the variables that hold most, each once, with the kind that it holds most of.

        Of these origins, or of all.
        A variable has the bytes of all that was reached through it first: of a model its
        parameters, buffers and gradients. What two variables hold counts for one of them.
        """
        named = [
            held
            for held in self.on(device_index)
            if held.root and (not origins or held.origin in origins)
        ]
        totals = Counter[str]()
        for held in named:
            totals[held.root] += held.storage.bytes
        kinds: dict[str, Counter[HolderKind]] = {
            root: Counter() for root in nlargest(count, totals, key=totals.__getitem__)
        }
        for held in named:
            if held.root in kinds:
                kinds[held.root][held.kind] += held.storage.bytes
        return [
            {"name": root, "kind": sizes.most_common(1)[0][0], "bytes": totals[root]}
            for root, sizes in kinds.items()
        ]

    def bytes_of_rows(
        self, device_index: int, rows: int, *, multiples: bool, first: bool = False
    ) -> int:
        """Return the bytes of inputs and activations with `rows` rows, or also with multiples.

        Rows may be of any dimension, as in `[length, batch, width]`, or only of the `first`.
        """
        return sum(
            size
            for shape, size in self._bytes_by_shape(device_index).items()
            if _has_rows(shape[: 1 if first else None], rows, multiples=multiples)
        )

    def bytes_of_sides(
        self, device_index: int, size: int, *, both: bool, multiples: bool = False
    ) -> int:
        """Return the bytes of inputs and activations that have `size` as a length.

        With `both` as two sides, which layers may have halved some times; else with `multiples`
        also those of as many rows: of the tokens of several texts.
        """
        sizes = {size >> times for times in range(_HALVED)} if both else {size}
        total = 0
        for shape, bytes_so in self._bytes_by_shape(device_index).items():
            sides = [side for side in shape if side in sizes and side > 1]
            enough = any(sides.count(side) > 1 for side in sides) if both else bool(sides)
            enough = enough or (multiples and not both and _has_rows(shape, size, multiples=True))
            total += bytes_so if enough else 0
        return total

    def _bytes_by_shape(self, device_index: int) -> Counter[tuple[int, ...]]:
        """Return the bytes of inputs and activations by shape: asked for each of many numbers."""
        if device_index not in self._shapes:
            totals = self._shapes[device_index] = Counter()
            for held in self.on(device_index):
                if held.kind in ("tensor", "activations"):
                    totals[held.storage.shape or ()] += held.storage.bytes
        return self._shapes[device_index]

    def graphs(self, device_index: int) -> Counter[str]:
        """Return how many members of each container keep autograd graphs alive."""
        held_here = self.on(device_index)
        places = {id(held.place): held.place for held in held_here if held.kind == "activations"}
        members = {(place.root, place.path) for place in places.values() if _in_container(place)}
        return Counter([root for root, _ in members])


def _is_other(first: Place, place: Place) -> bool:
    """Whether a second place is that of another name; what no name reaches gives none."""
    same = first.root == place.root and first.origin == place.origin
    return not same and place.origin not in UNNAMED


def _in_container(place: Place) -> bool:
    way = place.way
    return len(way) > 1 and way[1].via is not None and way[1].via.kind in ("index", "key")


def _has_rows(shape: tuple[int, ...], rows: int, *, multiples: bool) -> bool:
    if rows in shape:
        return True
    return multiples and bool(shape) and shape[0] > rows and shape[0] % rows == 0
