"""The part of Python's reference graph that candidates reach, as numbers: it holds no object.

Taken before anybody of ours holds on to a part of it. What lasts anyway (modules, classes, the
shell) is not gone into: what it refers to counts as held from outside.
"""

from __future__ import annotations

import gc
import sys
import time
import types
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..holders import objects
from ..holders.classes import comes_from
from ..holders.reach import leads_nowhere
from ..holders.referrers import tables_of_modules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from ..holders.walk import Walk

_LONG = 500
_RUN = 2_000
_CHECK_EVERY = 512
_ATOMS = (
    *(str, int, float, complex, bool, bytes, bytearray, range, slice, property),
    *(type(None), types.EllipsisType, types.NotImplementedType, weakref.ref, weakref.ProxyType),
    *(types.ModuleType, types.CodeType, types.MappingProxyType, types.GetSetDescriptorType),
    *(types.MemberDescriptorType, types.WrapperDescriptorType, types.MethodDescriptorType),
)
_QUALNAME: Any = type.__dict__["__qualname__"]


@dataclass(slots=True)
class References:
    """Objects by number: what each refers to, and how often it is referred to from anywhere."""

    ids: list[int] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    refers: list[tuple[int, ...]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    complete: bool = True


class Census:
    """Goes through all that `roots` reach, within `budget_s` of CPU time.

    `tables` are namespaces that last: their names are for the caller to count. `arrays` are the
    ids of what is looked for: once all are found, long containers stay closed. `lasting` are
    the ids of these tables and of the namespaces of modules.
    """

    def __init__(
        self, walk: Walk, tables: Iterable[object], arrays: AbstractSet[int], *, budget_s: float
    ) -> None:
        self._walk = walk
        self._arrays = arrays
        self.lasting = {*map(id, tables), *tables_of_modules()}
        self._kinds: dict[int, tuple[type, bool]] = {}
        self._deadline_s = time.thread_time() + budget_s
        self._values: list[Any] = []
        self._long: list[int] = []
        self._found = References()

    def take(self, roots: list[Any]) -> References:
        """Return the graph as it is now; not `complete` where the time did not suffice.

        The list is emptied: it would count as holding them.
        """
        found = self._found
        self._enter(roots)
        roots.clear()
        self._go_on()
        if not self._arrays <= found.numbers.keys() or gc.get_freeze_count():
            for number in self._long:
                found.refers[number] = self._enter(self._worthwhile(self._values[number]))
            self._go_on()
        if found.complete:
            self._count()
        return found

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
            if self._matters(each):
                number = found.get(id(each))
                if number is None:
                    number = found[id(each)] = len(self._values)
                    self._values.append(each)
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
        if time.thread_time() > self._deadline_s:
            self._found.complete = False
        return not self._found.complete

    def _matters(self, value: Any) -> bool:
        kind = type(value)
        known = self._kinds.get(id(kind))
        if known is None:
            known = self._kinds[id(kind)] = kind, _may_go(kind)
        if not known[1] or not gc.is_tracked(value) or id(value) in self.lasting:
            return False
        return not comes_from(kind, type) or "<locals>" in _QUALNAME.__get__(value)

    def _count(self) -> None:
        """Count the references to each object, less those of our own list."""
        found, values = self._found, self._values
        values.append(object())
        *counts, ours = map(sys.getrefcount, values)
        values.pop()
        found.ids = list(map(id, values))
        found.counts = [
            count - ours - (kept_by_pytorch(self._walk, value) if id(value) in self._arrays else 0)
            for count, value in zip(counts, values, strict=True)
        ]
        values.clear()


def kept_by_pytorch(walk: Walk, array: Any) -> int:
    """Return how many references to an array are PyTorch's own, for as long as C++ needs it."""
    torch = walk.torch
    return torch.kept_by_itself(array) if torch and comes_from(type(array), torch.tensor) else 0


def _may_go(kind: type) -> bool:
    return not comes_from(kind, *_ATOMS) and not objects.is_machinery(kind)
