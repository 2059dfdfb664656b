"""What keeps an object alive that no name reaches: a search from the object back to a root.

Asks the gc who refers to whom and compares identities; no code of a foreign object is run.
Bounded, since every question goes through all objects of the process.
"""

from __future__ import annotations

import gc
import sys
import types
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import is_kind, top_of
from ..inspection.tables import items_of
from ..own import OURS
from ..text.messages import message
from .steps import key_step, keys_of, steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..concurrency.turns import Turn
    from ..protocol.wire import Message

_MOST_OBJECTS = 20_000
_AT_ONCE = 16
_DEPTH = 32
_TABLE: Any = vars(types.ModuleType)["__dict__"]


@dataclass(eq=False, slots=True)
class _Link:
    """An object on a way, and the next one towards the target."""

    value: Any
    towards: _Link | None
    depth: int = 0

    def way(self) -> list[Any]:
        """Return the objects from here to the target."""
        return [self.value, *(self.towards.way() if self.towards is not None else [])]


class Search:
    """One search within the time of a turn; `complete` is false when it stopped early.

    `held` tells whether anything at all was found to refer to the target. A tuple that another
    thread is making cannot be finished while anybody refers to it: beside others it leaves tuples
    alone.
    """

    def __init__(self, shell: Any, turn: Turn) -> None:
        self.complete = True
        self.held = False
        self._names = shell.user_ns
        self._roots = tables_of_modules()
        self._turn = turn
        self._seen: set[int] = set()

    def ways(self, targets: list[Any], most: int) -> list[list[Message]]:
        """Return at most so many ways from a root to one of `targets`, the shortest first.

        The list is emptied: it would be found as a referrer itself.
        """
        waiting = deque(_Link(target, None) for target in targets)
        targets.clear()
        self._seen = {id(each.value) for each in waiting}
        found: list[list[Message]] = []
        while waiting and len(found) < most:
            self._turn.pause()
            if len(self._seen) > _MOST_OBJECTS or self._turn.late:
                self.complete = False
                break
            batch = [waiting.popleft() for _ in range(min(_AT_ONCE, len(waiting)))]
            for link in self._referrers(batch):
                self.held = True
                if id(link.value) in self._roots or link.value is self._names:
                    found += self._in_words(link)
                elif link.depth < _DEPTH:
                    waiting.append(link)
                else:
                    self.complete = False
        return found[:most]

    def _referrers(self, batch: list[_Link]) -> Iterator[_Link]:
        """Yield what refers to the objects of a batch, each object once."""
        links = {id(link.value): link for link in batch}
        values = [link.value for link in batch]
        with self._turn.at_a_stretch():
            referrers = gc.get_referrers(*values)
            if self._turn.company.there and any(type(each) is tuple for each in referrers):
                referrers = [each for each in referrers if type(each) is not tuple]
                self.complete = False
        ours = {id(values), id(referrers)}
        for referrer in referrers:
            if id(referrer) in ours or id(referrer) in self._seen or self._is_ours(referrer):
                continue
            self._seen.add(id(referrer))
            held = (links.get(id(referent)) for referent in gc.get_referents(referrer))
            towards = next((link for link in held if link is not None), None)
            if towards is not None:
                yield _Link(referrer, towards, towards.depth + 1)

    def _is_ours(self, referrer: Any) -> bool:
        """Whether we ourselves refer to an object in this way."""
        if type(referrer) is types.FrameType:
            return _is_own(referrer.f_globals.get("__name__"))
        return type(referrer) is _Link or _is_own(self._roots.get(id(referrer)))

    def _in_words(self, link: _Link) -> Iterator[list[Message]]:
        """Yield a way for each name that a namespace has for the next object."""
        table, *way = link.way()
        for key in keys_of(table, way[0]):
            if type(key) is not str:
                first = key_step(key)
            elif table is self._names:
                first = message("path.name", name=key)
            else:
                first = message("path.global", name=key, module=self._roots[id(table)])
            yield [first, *steps(way)]


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
