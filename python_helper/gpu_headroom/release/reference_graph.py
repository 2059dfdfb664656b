"""The part of Python's reference graph that candidates reach, as numbers, without references.

It has to be created before the helper refers to any part of it. Permanent objects (modules,
classes, the shell) are not visited: their references count as external.
"""

from __future__ import annotations

import gc
import sys
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from ..holders.reach import LONG, promising

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from ..concurrency.turns import Turn
    from ..holders.inspector import Inspector

_RUN = 2_000
_CHECK_EVERY = 256
# Share of the turn by which this ends, earlier stages included; the second if a user is waiting.
_SHARE_FOR_OTHERS, _SHARE_FOR_OTHERS_ASKED = 0.5, 0.1


def all_from(
    start: Iterable[int], follow: Callable[[set[int]], Iterable[int]], turn: Turn
) -> set[int]:
    """Return all that is come to from `start`, itself included; `follow` goes one step on.

    Raises `TimeLimitError` where the turn is over before that.
    """
    visited = set(start)
    waiting, to_check = list(visited), 0
    while waiting:
        if len(visited) >= to_check:
            turn.check()
            to_check = len(visited) + _CHECK_EVERY
        some = set(waiting[-_RUN:])
        del waiting[-_RUN:]
        fresh = set(follow(some)) - visited
        visited |= fresh
        waiting += fresh
    return visited


class ReferenceGraph:
    """Objects by number: the references of each, and the number of all references to it.

    Visits all that `roots` reach, within the turn of the inspector. The list is emptied, as it
    would count as a referrer. `arrays` are the ids of the objects to find. `uncounted` has the
    number of references to an object to ignore, by its id. `lasting` are the ids of permanent
    namespaces, whose names the caller counts. Not `complete` if memory may have been missed, not
    `whole` if only other referrers of it may have been.
    """

    def __init__(
        self,
        inspector: Inspector,
        roots: list[Any],
        arrays: AbstractSet[int],
        *,
        uncounted: Mapping[int, int],
        lasting: AbstractSet[int],
    ) -> None:
        self.numbers: dict[int, int] = {}
        self.refers: list[tuple[int, ...]] = []
        self.counts: list[int] = []
        self.complete = self.whole = True
        self._inspector = inspector
        self._lasting = lasting
        self._share = 1.0
        self._values: list[Any] = []
        self._long: list[int] = []
        self._enter(roots)
        roots.clear()
        self._go_on()
        while self._long and self.complete and self.whole:
            self._open_long(arrays)
        if self.complete:
            self._count(uncounted)
        self.ids = list(self.numbers)
        self.refers += [()] * (len(self.ids) - len(self.refers))
        self._values.clear()
        self._referrers: list[list[int]] = [[] for _ in self.ids]
        self._turn_round()

    def all_referred_by(self, numbers: Iterable[int]) -> Iterator[int]:
        """Return what objects refer to, as often as they do."""
        return chain.from_iterable(map(self.refers.__getitem__, numbers))

    def all_referring_to(self, numbers: Iterable[int]) -> Iterator[int]:
        """Return what refers to objects, as often as it does."""
        return chain.from_iterable(map(self._referrers.__getitem__, numbers))

    def _open_long(self, arrays: AbstractSet[int]) -> None:
        """Visit the long containers found so far, and long ones in them.

        Once all arrays are found, containers could only show further referrers. That gets part of
        the time; without it, references from them count as external.
        """
        long, self._long = self._long, []
        all_found = arrays <= self.numbers.keys() and not gc.get_freeze_count()
        if all_found:
            on_request = self._inspector.turn.asked
            self._share = _SHARE_FOR_OTHERS_ASKED if on_request else _SHARE_FOR_OTHERS
        for number in long:
            members = gc.get_referents(self._values[number])
            worthwhile = promising(self._inspector, members, late=self._is_late)
            self.refers[number] = self._enter(target for _, target in worthwhile)
        self._go_on()
        if all_found:
            self.whole, self.complete = self.complete, True
            self._share = 1.0

    def _go_on(self) -> None:
        """Look into all that has been found and not been looked into yet."""
        values, refers = self._values, self.refers
        while len(refers) < len(values):
            if len(refers) % _CHECK_EVERY == 0 and self._is_late():
                return
            referents = gc.get_referents(values[len(refers)])
            if len(referents) > LONG:
                self._long.append(len(refers))
                referents = []
            refers.append(self._enter(referents))

    def _enter(self, values: Iterable[Any]) -> tuple[int, ...]:
        """Give numbers to those of `values` that may lead to GPU memory and go."""
        numbers, lasting, may_go = self.numbers, self._lasting, self._inspector.may_go
        entered = []
        for value in values:
            number = numbers.get(id(value))
            if number is None and may_go(value) and id(value) not in lasting:
                number = numbers[id(value)] = len(self._values)
                self._values.append(value)
            if number is not None:
                entered.append(number)
        return tuple(entered)

    def _is_late(self) -> bool:
        turn = self._inspector.turn
        turn.pause()
        self.complete &= not turn.beyond(self._share)
        return not self.complete

    def _count(self, uncounted: Mapping[int, int]) -> None:
        """Count the references to each object, less those of our own lists."""
        values = self._values
        values.append(object())
        counts: list[int] = []
        counting = map(sys.getrefcount, values)
        while some := list(islice(counting, _RUN)):
            self._inspector.turn.pause()
            counts += some
        values.pop()
        ours = counts.pop()
        self.counts = [count - ours for count in counts]
        for key in uncounted.keys() & self.numbers.keys():
            self.counts[self.numbers[key]] -= uncounted[key]

    def _turn_round(self) -> None:
        for number, referents in enumerate(self.refers):
            if number % _CHECK_EVERY == 0 and self._is_late():
                return
            for referent in referents:
                self._referrers[referent].append(number)
