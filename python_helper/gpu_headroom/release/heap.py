"""Retained and reachable size of an object: the memory it frees, and the memory it leads to.

Both are computed from the reference graph, in bytes of GPU memory. An object is freed if all
references to it come from removed references or from objects that are freed too. Its memory is
freed unless another array, or its graph, has the same storage. So retained sizes do not add up.
"""

from __future__ import annotations

import gc
import sys
import types
from collections import Counter
from contextlib import suppress
from functools import cached_property, reduce
from itertools import chain
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

from ..concurrency.turns import TimeLimitError
from ..frameworks.imported import imported
from ..holders import collector
from ..holders.frames import cell_of, last_errors, last_tracebacks
from ..holders.names import namespaces, user_names
from ..holders.reach import of_kinds
from ..holders.referrers import tables_of_modules
from ..inspection.classes import heirs
from ..inspection.kinds import is_kind
from ..inspection.tables import items_of
from .leading import checked, leading
from .memory import ArrayMemory, Storages
from .reference_graph import ReferenceGraph, all_from

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from types import TracebackType

    from ..holders.inspector import Inspector
    from ..holders.names import Root

    Holder = tuple[Any, Collection[str] | None]

_CHECK_EVERY = 64
_OTHERS = 1  # the bit of referrers without a name


class Candidates(NamedTuple):
    """Objects from the gc that can be freed: arrays, models among them, errors and tracebacks.

    `captured`: the notebook has captured CUDA graphs, which continue to use their addresses.
    """

    arrays: list[Any]
    errors: list[BaseException | TracebackType]
    captured: bool

    @classmethod
    def listed(cls, inspector: Inspector) -> Candidates:
        """List them in one pass over all objects, which may be many. May raise `TimeLimitError`."""
        errors = [types.TracebackType, *heirs(BaseException)]
        graphs = heirs(getattr(imported("torch.cuda.graphs"), "CUDAGraph", None))
        kinds = collector.kinds(inspector)
        objects = collector.listed(inspector, [*kinds, *errors, *graphs])
        if objects is None:
            raise TimeLimitError
        arrays = []
        with inspector.quiet():
            for number, obj in enumerate(of_kinds(inspector, objects, kinds)):
                if number % _CHECK_EVERY == 0:
                    inspector.turn.check()
                if not inspector.is_idle(obj):
                    arrays.append(obj)
        captured = bool(of_kinds(inspector, objects, graphs))
        return cls(arrays, of_kinds(inspector, objects, errors), captured)


class _Leads(NamedTuple):
    """Names that lead to arrays: a bit for each named object, by number.

    The bits of `remembered` are tracebacks without a name. `kept` and `reached` have the ids of
    arrays by the bits of all names that lead to them: `kept` through any object, with `_OTHERS` if
    an object without a name retains them too; `reached` as in `Heap.reachable`.
    """

    bits: dict[int, int]
    remembered: int
    kept: dict[int, set[int]]
    reached: dict[int, set[int]]


class _Cut(NamedTuple):
    """References that are let go: who refers to which values, under these names or all (`None`)."""

    values: list[Any]
    holders: Sequence[Holder]


def _having(arrays: Mapping[int, set[int]], bits: int) -> set[int]:
    """Return the arrays that one of these bits leads to."""
    return set[int]().union(*(ids for mask, ids in arrays.items() if mask & bits))


class Heap:
    """The reference graph at one moment, between cells, and the memory behind its arrays.

    It has to be created before the helper has references to the objects, as these would count. It
    refers to no object of the user's; `candidates` may keep their errors, but lose their arrays.
    The constructor and all methods may raise `TimeLimitError` if the time for the plan is over; the
    memory of an item is then not measured.
    """

    def __init__(self, shell: Any, inspector: Inspector, candidates: Candidates) -> None:
        self._shell = shell
        self._turn = inspector.turn
        self.memory = ArrayMemory(inspector, candidates.arrays)
        candidates.arrays.clear()
        tables = [table for table, _ in self._holders(None)]
        self._lasting = {*map(id, tables), *tables_of_modules()}
        formatter = getattr(shell, "InteractiveTB", None)
        roots = [value for table in (*tables, formatter) for value in self._referred(table, None)]
        roots += candidates.errors
        uncounted = Counter({key: self.memory.by_pytorch[key] for key in self.memory.held})
        uncounted.update(map(id, candidates.errors))  # this list of ours
        self._graph = ReferenceGraph(
            inspector, roots, self.memory.held, uncounted=uncounted, lasting=self._lasting
        )
        # Whether there was time to come to all that may keep memory.
        self.whole = self._graph.complete and self._graph.whole
        self._arrays = set(self._numbered(self.memory.arrays))
        self._tracebacks = self._numbers(
            error for error in candidates.errors if type(error) is types.TracebackType
        )
        self._named = self._names()

    def knows(self, value: object) -> bool:
        """Whether an object was found and may lead to GPU memory."""
        return id(value) in self._graph.numbers

    def retained(
        self,
        values: Iterable[Any],
        holders: Iterable[Any] | None = None,
        *,
        graphs: Iterable[Any] = (),
    ) -> Storages | None:
        """Return the memory freed, on all devices, if `holders` release `values`.

        Without `holders`, the notebook's namespaces do (`Out` and `_` included). Errors stored by
        Python and IPython count as removed, as they are safe to free: they retain the arguments of
        failed calls. A tensor among the holders releases its gradient. `graphs` are tensors that
        stay, but lose their autograd graphs. `None` if the time is over.
        """
        detached = set(map(id, graphs))
        if holders is None:
            named = list(values)
            return self._in_time(lambda: self._freed_by_names(named, detached))
        cut = _Cut(list(values), [(holder, None) for holder in holders])
        return self._in_time(lambda: self._freed(cut, detached))

    def retained_by_remembered(self) -> Storages | None:
        """Return the memory freed by removing the errors that Python and IPython store."""
        return self._in_time(lambda: self._freed_anyway)

    def goes_with_remembered(self, value: object) -> bool:
        """Whether an object goes when the errors that are remembered are let go."""
        return self._graph.numbers.get(id(value)) in self._going_anyway

    def retained_together(
        self, values: Iterable[Any], names: Collection[str]
    ) -> list[tuple[list[int], Storages]]:
        """Return which values, by id, free what together when these `names` let go of them.

        Values that share memory are in one group, for one of them alone would free less.
        """
        if not self._graph.complete:
            return []
        values = [value for value in values if self.knows(value)]
        freed = self._freed(_Cut(values, self._holders(names)))
        keys: dict[int, set[object]] = {}
        for value in values:
            below = self._below(self._numbers([value]))
            keys[id(value)] = freed & self.memory.of(self._ids(below))
        place = {holder_id: number for number, holder_id in enumerate(keys)}
        ids: dict[object, list[int]] = {}
        for holder_id, own in keys.items():
            for key in own:
                ids.setdefault(key, []).append(holder_id)
        groups = []
        while keys:
            group, together, waiting = list[int](), set[object](), [next(iter(keys))]
            while waiting:
                value_id = waiting.pop()
                own = keys.pop(value_id, set())
                group += [value_id] if own else []
                waiting += [other for key in own - together for other in ids[key]]
                together |= own
            if group:
                groups.append((sorted(group, key=place.__getitem__), self.memory.sized(together)))
        return groups

    def reachable(self, value: object) -> Storages:
        """Return the storages that a value leads to, whether or not other objects retain them.

        Without those in an error's traceback, and the parameters that a graph only uses.
        """
        own = self._numbers([value])
        if own.isdisjoint(self._leading):
            return Storages()
        if own <= self._leads.bits.keys():
            return self.memory.sized(self._parts(_having(self._leads.reached, self._bits(own))))
        below = self._ids(self._below(own, self._tracebacks))
        return self.memory.sized(self._parts(below))

    def held_by(self, values: Iterable[Any]) -> list[str]:
        """Return the other names, as `x`, `Out[5]` and the failed `In [5]`, that lead there.

        The values are named themselves.
        """
        own, leads = self._numbers(values), self._leads
        keepers = self.memory.keepers(self._parts(_having(leads.kept, self._bits(own))))
        above = reduce(or_, (mask for mask, ids in leads.kept.items() if ids & keepers), 0)
        holders = [obj for obj in self._named if obj not in own and leads.bits.get(obj, 0) & above]
        return [name for obj in holders for name in self._named[obj]]

    def roots_leading(self, roots: Iterable[Root], *, to: Iterable[int]) -> list[Root]:
        """Return those of `roots` that lead to objects of these ids; all if the time was up."""
        if not self._graph.complete:
            return list(roots)
        above = self._above(self._numbered(to))
        return [root for root in roots if not above.isdisjoint(self._numbers(root[:1]))]

    def _names(self) -> dict[int, list[str]]:
        names: dict[int, list[str]] = {}
        outputs = self._shell.history_manager.output_hist
        named = [*user_names(self._shell).items()]
        named += [(f"Out[{count}]", value) for count, value in items_of(outputs)]
        named += [
            (cell_of(traceback, self._shell), traceback)
            for traceback in last_tracebacks(self._shell)
        ]
        for name, value in named:
            number = self._graph.numbers.get(id(value))
            if number is not None:
                names.setdefault(number, []).append(name)
        return names

    def _holders(self, names: Collection[str] | None) -> list[Holder]:
        """Return the notebook's namespaces, of which these names let go, or all (`None`)."""
        shell = self._shell
        result = getattr(shell, "last_execution_result", None)
        stores = (shell.history_manager.output_hist, shell.displayhook, result)
        spaces = [(namespace, names) for namespace in (*namespaces(shell), shell.user_ns_hidden)]
        return [*spaces, *((other, None) for other in stores if other is not None)]

    def _in_time(self, compute: Callable[[], set[object]]) -> Storages | None:
        """Return what is computed, with its bytes; `None` where there is no time for that."""
        with suppress(TimeLimitError):
            return self.memory.sized(compute()) if self._graph.complete else None
        return None

    def _freed(self, cut: _Cut, detached: AbstractSet[int] = frozenset()) -> set[object]:
        """Return the storages that come back beside those of the remembered errors.

        `detached` are ids of tensors without a graph.
        """
        return self._simulate([cut, self._of_remembered()], detached) - self._freed_anyway

    def _freed_by_names(self, values: list[Any], detached: AbstractSet[int]) -> set[object]:
        """Return the storages freed if all names, their only referrers, release these values."""
        mask = self._bits(self._numbers(values))
        stays = ~(mask | self._leads.remembered)
        going = [ids for bits, ids in self._leads.kept.items() if bits & mask and not bits & stays]
        anyway = self._ids(self._going_anyway)
        return self._coming_back(anyway.union(*going), values, detached) - self._freed_anyway

    @cached_property
    def _freed_anyway(self) -> set[object]:
        """The storages that only the remembered errors keep: they are in the safe set."""
        return self._simulate([self._of_remembered()], set())

    @cached_property
    def _going_anyway(self) -> set[int]:
        return self._going([self._of_remembered()])

    def _of_remembered(self) -> _Cut:
        values, holders = remembered(self._shell)
        objects = [value for value in values if self.knows(value)]
        return _Cut(objects, [(holder, None) for holder in holders])

    def _simulate(self, cuts: list[_Cut], detached: AbstractSet[int]) -> set[object]:
        holders = {id(holder) for cut in cuts for holder, _ in cut.holders}
        values = [value for cut in cuts for value in cut.values]
        return self._coming_back(self._ids(self._going(cuts)), values, detached, holders)

    def _coming_back(
        self,
        arrays: set[int],
        values: Iterable[Any],
        detached: AbstractSet[int],
        holders: AbstractSet[int] = frozenset(),
    ) -> set[object]:
        """Return the storages that come back with arrays, and with values that nothing leads to."""
        memory = self.memory
        # Older versions of PyTorch hold gradients that no object of Python's leads to.
        nameless = {id(value) for value in values if not self.knows(value)}
        going = (arrays | nameless) & memory.held
        keys = memory.of(going) | memory.of_graphs(detached) | memory.of_gradients(holders)
        return memory.not_kept(
            keys, memory.held - going, without_graphs=detached, without_gradients=holders
        )

    def _referred(self, holder: Any, names: Collection[str] | None) -> list[Any]:
        """Return what a holder refers to by itself or in its attributes, or under these names."""
        if names is not None:
            return [value for name, value in items_of(holder) if name in names]
        return gc.get_referents(holder, *self._tables_of(holder))

    def _tables_of(self, holder: Any) -> list[Any]:
        """Return the `__dict__` of an object, which newer Pythons make only when asked for it.

        The globals of a frame are not its own.
        """
        if is_kind(holder, dict):
            return []
        tables = [referent for referent in gc.get_referents(holder) if type(referent) is dict]
        return [table for table in tables if id(table) not in self._lasting]

    def _going(self, cuts: list[_Cut]) -> set[int]:
        """Return what goes with these cuts."""
        graph, let_go = self._graph, Counter[int]()
        references: dict[int, tuple[int, ...]] = {}
        for cut in cuts:
            roots = self._numbers(cut.values)
            for holder, names in cut.holders:
                referred = self._numbered(map(id, self._referred(holder, names)))
                let_go.update(number for number in referred if number in roots)
                for number in self._numbers([holder, *self._tables_of(holder)]):
                    targets = references.get(number, graph.refers[number])
                    references[number] = tuple([one for one in targets if one not in roots])

        def referred_by(numbers: AbstractSet[int]) -> Iterator[int]:
            rest = chain.from_iterable(map(references.__getitem__, numbers & references.keys()))
            return chain(graph.all_referred_by(numbers - references.keys()), rest)

        below = self._below(self._numbers(value for cut in cuts for value in cut.values))
        let_go.update(referred_by(below))
        held = {reached for reached in below if graph.counts[reached] > let_go.get(reached, 0)}
        return below - all_from(held, referred_by, self._turn)

    @cached_property
    def _leads(self) -> _Leads:
        graph, (named, let_go, references) = self._graph, self._let_go()
        roots = sorted((named | self._named.keys()) & self._leading)
        bits = {root: _OTHERS << place for place, root in enumerate(roots, 1)}
        for number in checked(self._leading, self._turn):
            let_go.update(references.get(number, graph.refers[number]))
        inside = checked(self._leading, self._turn)
        held = {inner: _OTHERS for inner in inside if graph.counts[inner] > let_go[inner]}
        starts = {bit: bits.get(bit, 0) | held.get(bit, 0) for bit in bits | held}
        return _Leads(
            bits,
            sum(bit for root, bit in bits.items() if root not in named),
            self._by_bits(starts, references),
            self._by_bits(bits, dict.fromkeys(self._tracebacks, ())),
        )

    def _let_go(self) -> tuple[set[int], Counter[int], dict[int, tuple[int, ...]]]:
        """Compute the effect of removing all names and the stored errors.

        Returns the objects with names, the number of references to each object that would be
        removed, and the objects that the holders would still refer to.
        """
        values, remembering = remembered(self._shell)
        names = [name for name, _ in self._holders(None)]
        forgotten, named, let_go = self._numbers(values), set[int](), Counter[int]()
        references: dict[int, tuple[int, ...]] = {}
        for holder in {id(name): name for name in (*names, *remembering)}.values():
            forgets = forgotten if any(value is holder for value in remembering) else set[int]()
            lets_all_go = any(name is holder for name in names)
            for number in self._numbered(map(id, self._referred(holder, None))):
                let_go[number] += lets_all_go or number in forgets
                if lets_all_go and number not in forgets:
                    named.add(number)
            for number in self._numbers([holder, *self._tables_of(holder)]):
                targets = () if lets_all_go else self._graph.refers[number]
                references[number] = tuple([key for key in targets if key not in forgets])
        return named, let_go, references

    def _by_bits(
        self, starts: Mapping[int, int], instead: Mapping[int, tuple[int, ...]]
    ) -> dict[int, set[int]]:
        """Return the ids of the arrays by the bits of all `starts` that lead to them.

        `instead` has what some objects are to refer to, in place of what they do.
        """
        graph, inside = self._graph, self._leading

        def refers(number: int) -> list[int]:
            return [
                target for target in instead.get(number, graph.refers[number]) if target in inside
            ]

        ids: dict[int, set[int]] = {}
        led = leading(starts, refers, self._turn)
        for number in checked(self._arrays, self._turn):
            ids.setdefault(led.get(number, 0), set()).add(graph.ids[number])
        return ids

    def _bits(self, numbers: Iterable[int]) -> int:
        """Return the bits of objects that names stand for."""
        return reduce(or_, (self._leads.bits.get(number, 0) for number in numbers), 0)

    def _below(self, numbers: AbstractSet[int], closed: AbstractSet[int] = frozenset()) -> set[int]:
        """Return all that objects lead to, themselves included, but not through `closed`."""
        refers = self._graph.all_referred_by
        return all_from(numbers, lambda fresh: refers(fresh - closed), self._turn)

    def _above(self, numbers: Iterable[int]) -> set[int]:
        """Return all that leads to objects, themselves included."""
        return all_from(numbers, self._graph.all_referring_to, self._turn)

    @cached_property
    def _leading(self) -> set[int]:
        """All objects that lead to memory."""
        return self._above(self._arrays)

    def _numbers(self, values: Iterable[Any]) -> set[int]:
        return set(self._numbered(map(id, values)))

    def _numbered(self, ids: Iterable[int]) -> Iterator[int]:
        """Return the numbers of those objects that are in the graph, as often as they come."""
        numbers = self._graph.numbers
        return (numbers[key] for key in ids if key in numbers)

    def _parts(self, arrays: set[int]) -> set[object]:
        """Return the storages that arrays keep, of those in graphs what no array keeps."""
        memory = self.memory
        return memory.of_values(arrays) | (memory.of_graphs(arrays) & memory.only_saved.keys())

    def _ids(self, numbers: AbstractSet[int]) -> set[int]:
        return set(map(self._graph.ids.__getitem__, numbers & self._arrays))


def remembered(shell: Any) -> tuple[list[Any], list[Any]]:
    """Return the errors that Python and IPython store, and the objects that refer to them."""
    formatter = getattr(shell, "InteractiveTB", None)
    result = getattr(shell, "last_execution_result", None)
    values = [*last_errors(shell), *last_tracebacks(shell), getattr(formatter, "pdb", None)]
    holders = [vars(sys), formatter, result, getattr(shell, "SyntaxTB", None)]
    return [value for value in values if value is not None], [
        holder for holder in holders if holder
    ]
