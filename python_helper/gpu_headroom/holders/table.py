"""The table of holders: one row for each name, displayed value, failed cell or unreached class."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..text.messages import message
from .place import UNNAMED
from .sharing import row_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..protocol.generated import wire
    from .ledger import HeldStorage
    from .place import Origin
    from .sharing import Sharing
    from .survey import Survey

    SiteOf = Callable[[int, object], wire.AllocationSite | None]

_MOST_PARTS = 50
_CLEARLY = 0.9  # of a row must be of one kind, to call the row by it


@dataclass(frozen=True, slots=True)
class RowPart:
    """One storage, or all that one autograd graph alone holds; the largest storage first."""

    id: str
    name: str
    held: tuple[HeldStorage, ...]

    @property
    def bytes(self) -> int:
        """The size of all its storages."""
        return sum(storage.storage.bytes for storage in self.held)

    def as_wire(self, site_of: SiteOf | None) -> wire.HeldPart:
        """Return the part as it travels; a graph has neither shape nor place of origin."""
        first = self.held[0]
        storage = first.storage
        shape = None if first.graph or storage.shape is None else list(storage.shape)
        return {
            "id": self.id,
            "name": self.name,
            "kind": first.kind,
            "framework": storage.framework,
            "bytes": self.bytes,
            "graph": first.graph,
            "dtype": None if first.graph else storage.dtype,
            "shape": shape,
            "allocation_site": site_of(storage.device_index, storage.key)
            if site_of and not first.graph
            else None,
        }


@dataclass(frozen=True, slots=True)
class Row:
    """One holder on one device, with its parts, largest first."""

    id: str
    name: str
    origin: Origin
    type_name: str | None
    parts: tuple[RowPart, ...]
    aliases: tuple[str, ...]
    hint: wire.Message | None

    @property
    def held(self) -> tuple[HeldStorage, ...]:
        """All storages, those of the largest part first."""
        return tuple([held for part in self.parts for held in part.held])

    @property
    def bytes(self) -> int:
        """Bytes of the storages that this row reached first."""
        return sum(storage.storage.bytes for storage in self.held)

    @property
    def graph_bytes(self) -> int:
        """Bytes that only autograd graphs retain."""
        return sum(storage.storage.bytes for storage in self.held if storage.graph)

    @property
    def kind(self) -> Any:
        """Kind of nearly all of its bytes, else `mixed`."""
        kinds: Counter[str] = Counter()
        for storage in self.held:
            kinds[storage.kind] += storage.storage.bytes
        kind, size = kinds.most_common(1)[0]
        return kind if size >= _CLEARLY * kinds.total() else "mixed"

    def as_wire(self, site_of: SiteOf | None) -> wire.Held:
        """Return the row as it travels."""
        return {
            "id": self.id,
            "name": self.name,
            "origin": self.origin,
            "kind": self.kind,
            "type_name": self.type_name,
            "bytes": self.bytes,
            "graph_bytes": self.graph_bytes,
            "count": len(self.held),
            "aliases": list(self.aliases),
            "parts": [part.as_wire(site_of) for part in self.parts[:_MOST_PARTS]],
            "hint": self.hint,
        }


def rows_of(device_index: int, found: Survey, sharing: Sharing) -> tuple[Row, ...]:
    """Return the rows of a device, largest first."""
    members: dict[tuple[Origin, str], list[HeldStorage]] = {}
    for held in found.ledger.on(device_index):
        members.setdefault(row_of(held.place), []).append(held)
    graphs = found.ledger.graphs(device_index)
    rows = []
    for (origin, name), held_here in members.items():
        row_id = f"{device_index}/{origin}/{name}"
        parts = _parts(row_id, origin, held_here)
        shown = held_here[0].root if origin in UNNAMED else name
        rows.append(
            Row(
                id=row_id,
                name=shown,
                origin=origin,
                type_name=None if origin == "traceback" else found.type_names.get((origin, name)),
                parts=parts,
                aliases=tuple(sharing.names((origin, name))),
                hint=_hint(origin, shown, parts, graphs[name]),
            )
        )
    return tuple(sorted(rows, key=lambda row: -row.bytes))


def _parts(row_id: str, origin: Origin, members: list[HeldStorage]) -> tuple[RowPart, ...]:
    groups: dict[str, list[HeldStorage]] = {}
    paths: dict[int, str] = {}
    for held in members:
        if held.graph:
            here = id(held.place)
            if here not in paths:
                paths[here] = f"graph:{held.path}"
            key = paths[here]
        else:
            address = held.storage.key
            key = "-".join(map(str, address)) if isinstance(address, tuple) else str(address)
        groups.setdefault(f"{row_id}#{key}", []).append(held)
    parts = []
    for part_id, group in groups.items():
        group.sort(key=lambda held: -held.storage.bytes)
        place = group[0].place
        name = place.path if origin == "traceback" else place.suffix
        parts.append(RowPart(part_id, name, tuple(group)))
    return tuple(sorted(parts, key=lambda part: -part.bytes))


def _hint(
    origin: Origin, name: str, parts: tuple[RowPart, ...], graphs: int
) -> wire.Message | None:
    if origin != "names":
        return message(f"hint.{origin}")
    if graphs > 1:
        return message("hint.graphs", name=name, count=graphs)
    in_graphs = sum(part.bytes for part in parts if part.held[0].graph)
    if 2 * in_graphs > sum(part.bytes for part in parts):
        return message("hint.graph", name=name, graph_bytes=in_graphs)
    return None
