"""What would come back if some references went: simulated on the reference graph, in bytes.

An object goes when every reference to it comes from what lets go of it or from what goes with
it; its memory comes back unless another array, or the graph of one, keeps the same storage.
"""

from __future__ import annotations

import gc
import types
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import Late
from ..holders.frames import cell_of, last_tracebacks
from ..holders.names import user_names
from ..inspection.kinds import is_kind
from .memory import Inventory
from .references import Census, all_from
from .tracebacks import remembered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from ..holders.names import Root
    from ..holders.walk import Walk
    from .known import Known
    from .memory import Sizes
    from .references import References

    Holder = tuple[Any, Collection[str] | None]


@dataclass(frozen=True, slots=True)
class _Parting:
    """Who lets go of some values, and under which names of theirs; `None` is all."""

    values: list[Any]
    holders: list[Holder]


class Reachable:
    """The reference graph at one moment, between cells; it holds no object of the user's.

    Taken when it is made: before anybody of ours holds on to a part of it, or that would count
    as held. `known` may go on holding its errors, and is left without its arrays. `memory` is
    that of these. Whatever is asked of it may raise `Late`, where the time there is for all of a
    plan has been spent; what an item gives is then not measured.
    """

    def __init__(self, shell: Any, walk: Walk, known: Known) -> None:
        self._shell = shell
        self._turn = walk.turn
        self._lasting: set[int] = set()
        self.memory = Inventory(walk).take(known.arrays)
        known.arrays.clear()
        self._graph = self._references(walk, known.errors)
        self._tracebacks = self._numbers(
            each for each in known.errors if type(each) is types.TracebackType
        )
        self._named = self._names()

    @property
    def whole(self) -> bool:
        """Whether there was time to come to all that may keep memory."""
        return self._graph.complete and self._graph.whole

    def knows(self, value: object) -> bool:
        """Whether an object was found and may lead to GPU memory."""
        return id(value) in self._graph.numbers

    def exclusive(
        self,
        values: Iterable[Any],
        holders: Iterable[Any] | None = None,
        *,
        graphs: Iterable[Any] = (),
        names: Collection[str] | None = None,
    ) -> Sizes | None:
        """Return what comes back, on all devices, when `holders` let go of `values`.

        Without `holders` the notebook's namespaces let go (`Out` and `_` included), or only
        these `names` of theirs. The errors that are remembered are taken to be gone, being in
        the safe set: they keep the arguments of what failed. A tensor among the holders lets go
        of its gradient. `graphs` are tensors that stay, but whose autograd graphs go. `None`
        where there is no time to tell.
        """
        parting = _Parting(list(values), self._holders(holders, names))
        with suppress(Late):
            freed = self._freed(parting, set(map(id, graphs)))
            return None if freed is None else self.memory.sizes_of(freed)
        return None

    def of_remembered(self) -> Sizes | None:
        """Return what comes back when the errors that are remembered are let go."""
        with suppress(Late):
            return None if self._anyway is None else self.memory.sizes_of(self._anyway)
        return None

    def goes_with_remembered(self, value: object) -> bool:
        """Whether an object goes when the errors that are remembered are let go."""
        return self._graph.numbers.get(id(value)) in self._going_anyway

    def groups(
        self, values: Iterable[Any], *, names: Collection[str]
    ) -> list[tuple[list[int], Sizes]]:
        """Return which values, by id, free what together when these `names` let go of them.

        Values that share memory are in one group, for one of them alone would free less.
        """
        values = [each for each in values if self.knows(each)]
        freed = self._freed(_Parting(values, self._holders(None, names)), set()) or set()
        keys = {id(each): freed & self._keys(self._below(self._numbers([each]))) for each in values}
        ids: dict[object, list[int]] = {}
        for each, own in keys.items():
            for key in own:
                ids.setdefault(key, []).append(each)
        place = {each: number for number, each in enumerate(keys)}
        groups = []
        while keys:
            first = next(iter(keys))
            group, found = _connected(first, keys, ids)
            if found:
                groups.append((sorted(group, key=place.__getitem__), self.memory.sizes_of(found)))
        return groups

    def behind(self, value: object) -> int:
        """Return the bytes that a value leads to, whoever else holds them.

        What an error remembers is not among them, nor the parameters that a graph only uses.
        """
        own = self._numbers([value])
        if own.isdisjoint(self._leading):
            return 0
        return self.memory.sizes_of(self._parts(self._below(own, self._tracebacks))).bytes

    def held_by(self, values: Iterable[Any]) -> list[str]:
        """Return the other names, as `x`, `Out[5]` and the failed `In [5]`, that lead there."""
        own = self._numbers(values)
        keepers = self.memory.keepers(self._parts(self._below(own)))
        above = self._above(self._numbered(keepers)) - own
        return [name for number, names in self._named.items() if number in above for name in names]

    def leading(self, roots: Iterable[Root], *, to: Iterable[int]) -> list[Root]:
        """Return those of `roots` that lead to objects of these ids; all if the time was up."""
        if not self._graph.complete:
            return list(roots)
        above = self._above(self._numbered(to))
        return [each for each in roots if not above.isdisjoint(self._numbers(each[:1]))]

    def _references(self, walk: Walk, errors: list[Any]) -> References:
        tables = [holder for holder, _ in self._holders(None, None)]
        formatter = getattr(self._shell, "InteractiveTB", None)
        roots = [value for each in (*tables, formatter) for value in self._referred(each, None)]
        roots += errors
        listed = set(map(id, errors))
        arrays = {each: self.memory.by_pytorch[each] for each in self.memory.held}
        census = Census(walk, tables, arrays, listed)
        self._lasting = census.lasting
        return census.take(roots)

    def _names(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        outputs = self._shell.history_manager.output_hist
        named = [*user_names(self._shell).items()]
        named += [(f"Out[{count}]", value) for count, value in list(outputs.items())]
        named += [(cell_of(each, self._shell), each) for each in last_tracebacks(self._shell)]
        for name, value in named:
            number = self._graph.numbers.get(id(value))
            if number is not None:
                found.setdefault(number, []).append(name)
        return found

    def _holders(
        self, holders: Iterable[Any] | None, names: Collection[str] | None
    ) -> list[Holder]:
        """Return these holders; `None` are the notebook's namespaces with these names."""
        if holders is not None:
            return [(each, None) for each in holders]
        shell = self._shell
        result = getattr(shell, "last_execution_result", None)
        others = (shell.history_manager.output_hist, shell.displayhook, result)
        spaces = [(each, names) for each in (shell.user_ns, shell.user_ns_hidden)]
        return [*spaces, *((each, None) for each in others if each is not None)]

    def _freed(self, parting: _Parting, detached: AbstractSet[int]) -> set[object] | None:
        """Return the storages that come back beside those of the remembered errors.

        `detached` are ids of tensors without a graph.
        """
        if self._anyway is None:
            return None
        return self._simulate([parting, self._of_errors()], detached) - self._anyway

    @cached_property
    def _anyway(self) -> set[object] | None:
        """The storages that only the remembered errors keep: they are in the safe set."""
        if not self._graph.complete:
            return None
        return self._simulate([self._of_errors()], set())

    @cached_property
    def _going_anyway(self) -> set[int]:
        return self._going([self._of_errors()])

    def _of_errors(self) -> _Parting:
        values, holders = remembered(self._shell)
        known = [each for each in values if self.knows(each)]
        return _Parting(known, self._holders(holders, None))

    def _simulate(self, partings: list[_Parting], detached: AbstractSet[int]) -> set[object]:
        memory = self.memory
        holders = {id(holder) for each in partings for holder, _ in each.holders}
        values = [value for each in partings for value in each.values]
        # Older versions of PyTorch hold gradients that no object of Python's leads to.
        nameless = {id(each) for each in values if not self.knows(each)}
        going = (self._ids_of_arrays(self._going(partings)) | nameless) & memory.held
        gone = memory.of(going) | memory.of_graphs(detached) | memory.of_gradients(holders)
        return memory.not_kept(
            gone, memory.held - going, without_graphs=detached, without_gradients=holders
        )

    def _referred(self, holder: Any, names: Collection[str] | None) -> list[Any]:
        """Return what a holder refers to by itself or in its attributes, or under these names."""
        if names is not None:
            return [value for name, value in list(dict.items(holder)) if name in names]
        tables = [holder, *self._tables_of(holder)]
        return [each for one in tables for each in gc.get_referents(one)]

    def _tables_of(self, holder: Any) -> list[Any]:
        """Return the `__dict__` of an object, which newer Pythons make only when asked for it.

        The globals of a frame are not its own.
        """
        if is_kind(holder, dict):
            return []
        found = [each for each in gc.get_referents(holder) if type(each) is dict]
        return [each for each in found if id(each) not in self._lasting]

    def _going(self, partings: list[_Parting]) -> set[int]:
        """Return what goes with these partings."""
        graph, let_go = self._graph, Counter[int]()
        parted: dict[int, tuple[int, ...]] = {}
        for each in partings:
            roots = self._numbers(each.values)
            for holder, names in each.holders:
                referred = self._numbered(map(id, self._referred(holder, names)))
                let_go.update(number for number in referred if number in roots)
                for number in self._numbers([holder, *self._tables_of(holder)]):
                    left = parted.get(number, graph.refers[number])
                    parted[number] = tuple([one for one in left if one not in roots])

        def referred_by(numbers: AbstractSet[int]) -> Iterator[int]:
            rest = chain.from_iterable(map(parted.__getitem__, numbers & parted.keys()))
            return chain(graph.all_referred_by(numbers - parted.keys()), rest)

        values = [value for each in partings for value in each.values]
        below = self._below(self._numbers(values))
        let_go.update(referred_by(below))
        held = {each for each in below if graph.counts[each] > let_go.get(each, 0)}
        return below - all_from(held, referred_by, self._turn)

    def _below(self, numbers: AbstractSet[int], closed: AbstractSet[int] = frozenset()) -> set[int]:
        """Return all that objects lead to, themselves included, but not through `closed`."""
        return all_from(numbers, self._follow(closed), self._turn)

    def _follow(self, closed: AbstractSet[int]) -> Callable[[set[int]], Iterable[int]]:
        return lambda fresh: self._graph.all_referred_by(fresh - closed)

    def _above(self, numbers: Iterable[int]) -> set[int]:
        """Return all that leads to objects, themselves included."""
        return all_from(numbers, self._graph.all_referring_to, self._turn)

    @cached_property
    def _leading(self) -> set[int]:
        """All that leads to memory."""
        return self._above(self._arrays)

    @cached_property
    def _arrays(self) -> set[int]:
        return set(self._numbered(self.memory.arrays))

    def _numbers(self, values: Iterable[Any]) -> set[int]:
        return set(self._numbered(map(id, values)))

    def _numbered(self, ids: Iterable[int]) -> Iterator[int]:
        """Return the numbers of those objects that are in the graph, as often as they come."""
        numbers = self._graph.numbers
        return (numbers[each] for each in ids if each in numbers)

    def _keys(self, numbers: AbstractSet[int]) -> set[object]:
        return self.memory.of(self._ids_of_arrays(numbers))

    def _parts(self, numbers: AbstractSet[int]) -> set[object]:
        """Return the storages that objects keep, of those in graphs what no array keeps."""
        memory, ids = self.memory, self._ids_of_arrays(numbers)
        return memory.of_values(ids) | (memory.of_graphs(ids) & memory.only_saved.keys())

    def _ids_of_arrays(self, numbers: AbstractSet[int]) -> set[int]:
        return set(map(self._graph.ids.__getitem__, numbers & self._arrays))


def _connected(
    first: int, keys: dict[int, set[object]], ids: dict[object, list[int]]
) -> tuple[list[int], set[object]]:
    """Take out the values that share memory with a value, by way of others too, and its keys."""
    group, found, waiting = [], set[object](), [first]
    while waiting:
        each = waiting.pop()
        own = keys.pop(each, None)
        if own is None:
            continue
        group.append(each)
        for key in own - found:
            waiting += ids[key]
        found |= own
    return group, found
