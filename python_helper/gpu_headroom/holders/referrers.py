"""Search for what retains objects that no name reaches, back to objects that last.

The search calls `gc.get_referrers` and compares identities; no code of a foreign object is run.
Its number of calls is limited, since each goes through all objects of the process.
"""

from __future__ import annotations

import gc
import sys
import types
from collections import Counter, deque
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import is_kind, name_of, top_of
from ..inspection.tables import items_of
from ..own import OURS
from .names import user_names
from .place import Place
from .steps import along, keys_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .names import Root
    from .walk import Walk

AT_ONCE = 16
_MOST_OBJECTS = 20_000
_DEPTH = 32
_TABLE: Any = vars(types.ModuleType)["__dict__"]


@dataclass(eq=False, slots=True)
class _Link:
    """An object on a way, the next one towards the target, and the id of the target."""

    value: Any
    towards: _Link | None
    target: int
    depth: int = 0

    def way(self) -> list[Any]:
        """Return the objects from here to the target."""
        return [self.value, *(self.towards.way() if self.towards is not None else [])]


class Search:
    """Search back from objects to module globals, names, and objects that `walk` reached.

    With `below`, only to reached objects that last longer than that place, and not to frames.
    `complete` is false once a search stopped early. A tuple that another thread is creating cannot
    be completed while other references to it exist, so tuples are skipped beside other threads.
    `listed` are the helper's own lists of the user's objects.
    """

    def __init__(
        self, walk: Walk, shell: Any, *listed: list[Any], below: Place | None = None
    ) -> None:
        self.complete = True
        self._walk = walk
        self._turn = walk.inspector.turn
        self._shell = shell
        self._tables = tables_of_modules()
        self._listed = Counter(map(id, chain(*listed)))
        self._ours = set(map(id, listed))
        self._below = below
        self._links: dict[int, _Link] = {}

    def roots(self, targets: list[Any], *, depth: int = _DEPTH, until: float = 1.0) -> list[Root]:
        """Return the objects on the shortest way to each of `targets`, as places to walk from.

        The list is emptied: it would be found as a referrer itself.
        """
        waiting = deque(_Link(target, None, id(target)) for target in targets)
        targets.clear()
        self._links = {id(link.value): link for link in waiting}
        ways: list[list[Root]] = []
        led: set[int] = set()
        while waiting:
            self._turn.pause()
            if len(self._links) > _MOST_OBJECTS or self._turn.beyond(until):
                self.complete = False
                break
            batch = [waiting.popleft() for _ in range(min(AT_ONCE, len(waiting)))]
            for link in self._referrers([link for link in batch if link.target not in led]):
                link_ways = self._ways(link)
                if link_ways:
                    ways += link_ways
                    led.add(link.target)
                elif link.depth < depth:
                    waiting.append(link)
                else:
                    self.complete = False
        ways.sort(key=lambda way: (way[0][1].rank, len(way[0][1].root)))
        return list(chain(*ways))

    def unled(self) -> list[Root]:
        """Return the targets of a search without result, and all garbage that leads to them.

        Garbage is what only itself refers to, as Python's own collector counts.
        """
        values = [link.value for link in self._links.values()]
        targets = [link.target for link in self._links.values()]
        self._links.clear()
        garbage = self._garbage(values) if self.complete else set[int]()
        rows = {id(value): str.__str__(name_of(type(value))) for value in values}
        return [
            (value, Place("garbage" if target in garbage else "elsewhere", "", row=rows[target]))
            for value, target in zip(values, targets, strict=True)
            if id(value) == target or {id(value), target} <= garbage
        ]

    def _garbage(self, values: list[Any]) -> set[int]:
        values.append(object())
        *counts, ours = map(sys.getrefcount, values)
        values.pop()
        external_refs = {
            id(value): count - ours - self._listed[id(value)]
            for value, count in zip(values, counts, strict=True)
        }
        refers = {id(value): list(map(id, gc.get_referents(value))) for value in values}
        for refer in chain(*refers.values()):
            if refer in external_refs:
                external_refs[refer] -= 1
        held = [key for key, count in external_refs.items() if count > 0]
        while held:
            key = held.pop()
            if external_refs.pop(key, None) is not None:
                held += refers[key]
        return set(external_refs)

    def _referrers(self, batch: list[_Link]) -> list[_Link]:
        """Return what refers to the objects of a batch, each object once."""
        links = {id(link.value): link for link in batch}
        values = [link.value for link in batch]
        with self._turn.at_a_stretch():
            referrers = gc.get_referrers(*values) if values else []
            if self._turn.company.there and any(type(obj) is tuple for obj in referrers):
                referrers = [obj for obj in referrers if type(obj) is not tuple]
                self.complete = False
        ours, new_links = {id(values), id(referrers), *self._ours}, []
        for referrer in referrers:
            if id(referrer) in ours or id(referrer) in self._links or self._is_ours(referrer):
                continue
            referents = map(links.get, map(id, gc.get_referents(referrer)))
            towards = next((link for link in referents if link is not None), None)
            if towards is not None:
                link = _Link(referrer, towards, towards.target, towards.depth + 1)
                self._links[id(referrer)] = link
                new_links.append(link)
        return new_links

    def _is_ours(self, referrer: Any) -> bool:
        """Whether we ourselves refer to an object in this way, or no way may lead through it."""
        kind = type(referrer)
        if kind in (types.FrameType, types.TracebackType) and self._below is not None:
            return True
        if kind is types.FrameType:
            return _is_own(referrer.f_globals.get("__name__"))
        if kind is tuple and len(referrer) == 2:  # noqa: PLR2004  an object and its place
            return type(referrer[1]) is Place
        return kind is _Link or _is_own(self._tables.get(id(referrer)))

    def _ways(self, link: _Link) -> list[list[Root]]:
        """Return a way for each name that a namespace has for the next object, or from a place."""
        place = self._walk.place_of(link.value)
        if place is not None and (self._below is None or place.rank < self._below.rank):
            return [list(along(link.way(), place))]
        if id(link.value) not in self._tables and link.value is not self._shell.user_ns:
            return []
        table, *way = link.way()
        return [list(along(way, place)) for place in self._globals(table, way[0])]

    def _globals(self, table: Any, value: Any) -> Iterator[Place]:
        names = user_names(self._shell) if table is self._shell.user_ns else None
        for key in filter(lambda key: type(key) is str, keys_of(table, value)):
            if names is None:
                yield Place("modules", f"{self._tables[id(table)]}.{key}")
            else:
                yield Place("names" if key in names else "modules", key)


def tables_of_modules() -> dict[int, str]:
    """Return the name of each module by the identity of its namespace."""
    modules = items_of(sys.modules)
    return {
        id(_TABLE.__get__(module)): name
        for name, module in modules
        if is_kind(module, types.ModuleType)
    }


def _is_own(module: object) -> bool:
    return top_of(module) in OURS
