"""Other names of the same memory: deleting one of them frees nothing while another stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .place import UNNAMED

if TYPE_CHECKING:
    from .ledger import HeldStorage, StorageLedger
    from .place import Origin, Place

    RowKey = tuple[Origin, str]

_MOST_WAYS = 8
_MOST_NAMES = 20


class Sharing:
    """Other names and paths by which each row is reached."""

    def __init__(self, ledger: StorageLedger | None) -> None:
        self._meetings = ledger.meetings if ledger is not None else {}
        self._names: dict[RowKey, dict[str, None]] = {}
        # A place carries a row if storages of the row were found behind it.
        carried: dict[int, set[RowKey]] = {}
        for held in ledger or ():
            row = row_of(held.place)
            for place in held.place.way:
                carried.setdefault(id(place), set()).add(row)
            for place in held.also:
                self._note({row}, place, carried)
        for first, *aliases in self._meetings.values():
            for place in aliases:
                self._note(carried.get(id(first), set()), place, carried)

    def names(self, row: RowKey) -> list[str]:
        """Return the other names of what a row holds, or of a part of it."""
        return list(self._names.get(row, ()))[:_MOST_NAMES]

    def ways(self, held: HeldStorage) -> tuple[tuple[Place, ...], ...]:
        """Return the ways from roots to a storage; the first is the one that it counts under."""
        ways = [held.place.way, *(place.way for place in held.also)]
        used: set[int] = set()
        for way in ways:  # grows while it is gone through
            for index, step in enumerate(way):
                for place in self._meetings.get(id(step), ())[1:]:
                    if id(place) not in used:
                        used.add(id(place))
                        ways.append((*place.way, *way[index + 1 :]))
            del ways[_MOST_WAYS:]
        return tuple(ways)

    def _note(self, rows: set[RowKey], place: Place, carried: dict[int, set[RowKey]]) -> None:
        here = row_of(place)
        for row in rows:
            if row != here and place.origin not in UNNAMED:
                self._names.setdefault(row, {})[here[1]] = None
        if rows:
            for step in place.way:
                carried.setdefault(id(step), set()).update(rows)


def row_of(place: Place) -> RowKey:
    """Return what a place is shown under: its origin, and a name, a cell or a class."""
    return place.origin, place.row or place.root
