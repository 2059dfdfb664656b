"""The part of Python's reference graph that candidates reach, as numbers: it holds no object.

Taken before anybody of ours holds on to a part of it. What lasts anyway (modules, classes, the
shell) is not gone into: what it refers to counts as held from outside.
"""

from __future__ import annotations

import gc
import sys
import types
import weakref
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from ..holders import objects
from ..holders.reach import leads_nowhere
from ..holders.referrers import tables_of_modules
from ..inspection.classes import comes_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from ..concurrency.turns import Turn
    from ..holders.walk import Walk

_LONG = 500
_RUN = 2_000
_CHECK_EVERY = 256
# Of the time there is, with what went before: whoever asked waits for it.
_SHARE_FOR_OTHERS, _SHARE_FOR_OTHERS_ASKED = 0.5, 0.1
_ATOMS = (
    *(str, int, float, complex, bool, bytes, bytearray, range, slice, property),
    *(type(None), types.EllipsisType, types.NotImplementedType, weakref.ref, weakref.ProxyType),
    *(types.ModuleType, types.CodeType, types.MappingProxyType, types.GetSetDescriptorType),
    *(types.MemberDescriptorType, types.WrapperDescriptorType, types.MethodDescriptorType),
)
_QUALNAME: Any = type.__dict__["__qualname__"]


@dataclass
class References:
    """Objects by number: what each refers to, and how often it is referred to from anywhere.

    `referrers` are the same references the other way round. Not `complete` where memory may have
    been missed, not `whole` where only others may have been that keep it too.
    """

    ids: list[int] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    refers: list[tuple[int, ...]] = field(default_factory=list)
    referrers: list[list[int]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    complete: bool = True
    whole: bool = True

    def all_referred_by(self, numbers: Iterable[int]) -> Iterator[int]:
        """Return what objects refer to, as often as they do."""
        return chain.from_iterable(map(self.refers.__getitem__, numbers))

    def all_referring_to(self, numbers: Iterable[int]) -> Iterator[int]:
        """Return what refers to objects, as often as it does."""
        return chain.from_iterable(map(self.referrers.__getitem__, numbers))


def all_from(
    start: Iterable[int], follow: Callable[[set[int]], Iterable[int]], turn: Turn
) -> set[int]:
    """Return all that is come to from `start`, itself included; `follow` goes one step on.

    Raises `Late` where the turn is over before that.
    """
    found = set(start)
    waiting = list(found)
    while waiting:
        turn.check()
        some = set(waiting[-_RUN:])
        del waiting[-_RUN:]
        fresh = set(follow(some)) - found
        found |= fresh
        waiting += fresh
    return found


class Census:
    """Goes through all that `roots` reach, within the turn of the walk.

    `tables` are namespaces that last: their names are for the caller to count. `arrays` are what
    is looked for, by their ids, with the references to each that are not to be counted. `listed`
    are the ids of what a list of ours holds. `lasting` are the ids of these tables and of the
    namespaces of modules.
    """

    def __init__(
        self,
        walk: Walk,
        tables: Iterable[object],
        arrays: Mapping[int, int],
        listed: AbstractSet[int],
    ) -> None:
        self._walk = walk
        self._arrays = arrays
        self._listed = listed
        self.lasting = {*map(id, tables), *tables_of_modules()}
        self._kinds: dict[int, tuple[type, bool, bool]] = {}
        self._values: list[Any] = []
        self._long: list[int] = []
        self._share = 1.0
        self._found = References()

    def take(self, roots: list[Any]) -> References:
        """Return the graph as it is now; not `complete` where the time did not suffice.

        The list is emptied: it would count as holding them.
        """
        found = self._found
        self._enter(roots)
        roots.clear()
        self._go_on()
        while self._long and found.complete and found.whole:
            self._open_long()
        if found.complete:
            self._count()
        found.ids = list(found.numbers)
        found.refers += [()] * (len(found.ids) - len(found.refers))
        self._values.clear()
        self._turn_round()
        return found

    def _open_long(self) -> None:
        """Open the long containers that were come to; what they hold may be long as well.

        Once all arrays are found they could only tell who else keeps them: that is worth a part of
        the time, and without it what they hold counts as held from outside.
        """
        found, long, self._long = self._found, self._long, []
        all_found = self._arrays.keys() <= found.numbers.keys() and not gc.get_freeze_count()
        if all_found:
            asked = self._walk.turn.asked
            self._share = _SHARE_FOR_OTHERS_ASKED if asked else _SHARE_FOR_OTHERS
        for number in long:
            found.refers[number] = self._enter(self._worthwhile(self._values[number]))
        self._go_on()
        if all_found:
            found.whole, found.complete = found.complete, True
            self._share = 1.0

    def _go_on(self) -> None:
        """Look into all that has been found and not been looked into yet."""
        values, refers = self._values, self._found.refers
        while len(refers) < len(values):
            if len(refers) % _CHECK_EVERY == 0 and self._late():
                return
            referents = gc.get_referents(values[len(refers)])
            if len(referents) > _LONG:
                self._long.append(len(refers))
                referents = []
            refers.append(self._enter(referents))

    def _enter(self, values: Iterable[Any]) -> tuple[int, ...]:
        """Give numbers to those of `values` that may lead to GPU memory."""
        found, numbers = self._found.numbers, []
        for each in values:
            number = found.get(id(each))
            if number is None and self._matters(each):
                number = found[id(each)] = len(self._values)
                self._values.append(each)
            if number is not None:
                numbers.append(number)
        return tuple(numbers)

    def _worthwhile(self, container: Any) -> Iterator[Any]:
        """Yield runs of its members unless they lead nowhere, asked at the speed of C."""
        members = gc.get_referents(container)
        for start in range(0, len(members), _RUN):
            run = members[start : start + _RUN]
            if not self._late() and not leads_nowhere(self._walk, run):
                yield from run

    def _late(self) -> bool:
        self._walk.turn.pause()
        if self._walk.turn.beyond(self._share):
            self._found.complete = False
        return not self._found.complete

    def _matters(self, value: Any) -> bool:
        kind = type(value)
        known = self._kinds.get(id(kind))
        if known is None:
            known = self._kinds[id(kind)] = kind, _may_go(kind), comes_from(kind, type)
        _, may_go, is_class = known
        if not may_go or not gc.is_tracked(value) or id(value) in self.lasting:
            return False
        return not is_class or "<locals>" in _QUALNAME.__get__(value)

    def _count(self) -> None:
        """Count the references to each object, less those of our own lists."""
        found, values = self._found, self._values
        values.append(object())
        counts: list[int] = []
        counting = map(sys.getrefcount, values)
        while some := list(islice(counting, _RUN)):
            self._walk.turn.pause()
            counts += some
        values.pop()
        ours = counts.pop()
        found.counts = [count - ours for count in counts]
        for each in self._arrays.keys() & found.numbers.keys():
            found.counts[found.numbers[each]] -= self._arrays[each]
        for each in self._listed & found.numbers.keys():
            found.counts[found.numbers[each]] -= 1

    def _turn_round(self) -> None:
        found = self._found
        found.referrers = [[] for _ in found.ids]
        for number, referents in enumerate(found.refers):
            if number % _CHECK_EVERY == 0 and self._late():
                return
            for each in referents:
                found.referrers[each].append(number)


def _may_go(kind: type) -> bool:
    return not comes_from(kind, *_ATOMS) and not objects.is_machinery(kind)
