"""Storages found so far: what each is, who holds it, and where it was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..wire import Holder, HolderKind
    from .storage import Storage

Origin = Literal["names", "outputs", "traceback", "elsewhere"]
"""names: the user's namespace; outputs: displayed values; elsewhere: only the gc knows it."""


@dataclass(slots=True)
class Held:
    """One storage: `root` is the variable it was first reached through, `path` the whole way."""

    storage: Storage
    kind: HolderKind
    origin: Origin
    root: str
    path: str


@dataclass(frozen=True, slots=True)
class Retained:
    """A container whose members keep autograd graphs alive: how many, and what they hold."""

    name: str
    count: int
    bytes: int


class Ledger:
    """Counts each storage once, for whoever reaches it first."""

    def __init__(self) -> None:
        self._held: dict[object, Held] = {}

    def __iter__(self) -> Iterator[Held]:
        return iter(self._held.values())

    def add(self, held: Held) -> bool:
        """Enter a storage; false when somebody already holds it."""
        if held.storage.key in self._held:
            return False
        self._held[held.storage.key] = held
        return True

    def bytes(self, device_index: int | None = None, *, origin: Origin | None = None) -> int:
        """Return the bytes found on a device or all, from one origin or all."""
        return sum(
            held.storage.bytes
            for held in self
            if device_index in (None, held.storage.device_index) and origin in (None, held.origin)
        )

    def bytes_by_kind(self, device_index: int) -> Counter[HolderKind]:
        """Return the bytes found on a device by what they are."""
        found: Counter[HolderKind] = Counter()
        for held in self:
            if held.storage.device_index == device_index:
                found[held.kind] += held.storage.bytes
        return found

    def largest(self, device_index: int, *origins: Origin, count: int = 5) -> list[Holder]:
        """Return the variables that hold most, each once, with the kind that it holds most of.

        A variable has the bytes of all that was reached through it first: of a model its
        parameters, buffers and gradients. What two variables hold counts for one of them.
        """
        found: dict[str, Counter[HolderKind]] = {}
        for held in self:
            if held.storage.device_index == device_index and held.origin in origins and held.root:
                found.setdefault(held.root, Counter())[held.kind] += held.storage.bytes
        holders: list[Holder] = [
            {"name": root, "kind": kinds.most_common(1)[0][0], "bytes": kinds.total()}
            for root, kinds in found.items()
        ]
        return sorted(holders, key=lambda each: -each["bytes"])[:count]

    def bytes_of_rows(self, device_index: int, rows: int, *, multiples: bool) -> int:
        """Return the bytes of inputs and activations with `rows` rows, or also with multiples."""
        return sum(
            held.storage.bytes
            for held in self
            if held.storage.device_index == device_index
            and held.kind in ("tensor", "activations")
            and (
                rows in held.storage.shape or (multiples and _is_multiple(held.storage.shape, rows))
            )
        )

    def retained(self, device_index: int) -> tuple[Retained, ...]:
        """Return the containers that several graphs are kept in, largest first."""
        paths: dict[str, Counter[str]] = {}
        for held in self:
            in_container = held.path.startswith(f"{held.root}[")
            if (
                held.storage.device_index == device_index
                and held.kind == "activations"
                and in_container
            ):
                paths.setdefault(held.root, Counter())[held.path] += held.storage.bytes
        found = [Retained(root, len(members), members.total()) for root, members in paths.items()]
        return tuple(sorted(found, key=lambda each: -each.bytes))


def _is_multiple(shape: tuple[int, ...], rows: int) -> bool:
    return bool(shape) and shape[0] > rows and shape[0] % rows == 0
