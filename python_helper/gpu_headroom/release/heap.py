"""Retained and reachable size: what comes back when an object goes, and what it leads to.

Both are told from the reference graph, in bytes of GPU memory. An object goes when every reference
to it comes from what lets go of it or from what goes with it; its memory comes back unless another
array, or the graph of one, keeps the same storage. After

    x = tensor(64)          # MiB
    pair = [x, tensor(16)]

the name `pair` leads to both tensors: its reachable size is 80 MiB. Its retained size is 16 MiB,
for the name `x` keeps the first tensor. The retained size of `x` is 0, for the list keeps it. That
of both names together is 80 MiB: retained sizes do not add up.
"""

from __future__ import annotations

import gc
import types
from collections import Counter
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ..concurrency.turns import Late
from ..frameworks.imported import imported
from ..holders import elsewhere
from ..holders.frames import cell_of, last_tracebacks
from ..holders.names import user_names
from ..holders.reach import of_kinds
from ..holders.referrers import tables_of_modules
from ..inspection.classes import heirs
from ..inspection.kinds import is_kind
from .memory import ArrayMemory, Storages
from .reference_graph import ReferenceGraph, all_from
from .tracebacks import remembered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from types import TracebackType

    from ..holders.inspector import Inspector
    from ..holders.names import Root

    Holder = tuple[Any, Collection[str] | None]

_CHECK_EVERY = 64


class Candidates(NamedTuple):
    """What the gc knows that freeing is about: arrays, models among them; errors, tracebacks too.

    `captured` tells that the notebook captured CUDA graphs: they go on using the addresses they
    saw.
    """

    arrays: list[Any]
    errors: list[BaseException | TracebackType]
    captured: bool

    @classmethod
    def listed(cls, inspector: Inspector) -> Candidates:
        """List them in one pass over all objects: in a kernel these are many. May raise `Late`."""
        errors = [types.TracebackType, *heirs(BaseException)]
        graphs = heirs(getattr(imported("torch.cuda.graphs"), "CUDAGraph", None))
        kinds = elsewhere.kinds(inspector)
        found = elsewhere.listed(inspector, [*kinds, *errors, *graphs])
        if found is None:
            raise Late
        arrays = []
        with inspector.quiet():
            for number, each in enumerate(of_kinds(inspector, found, kinds)):
                if number % _CHECK_EVERY == 0:
                    inspector.turn.check()
                if not inspector.is_idle(each):
                    arrays.append(each)
        captured = bool(of_kinds(inspector, found, graphs))
        return cls(arrays, of_kinds(inspector, found, errors), captured)


class _Cut(NamedTuple):
    """References that are let go: who refers to which values, under these names or all (`None`)."""

    values: list[Any]
    holders: Sequence[Holder]


class Heap:
    """The reference graph at one moment, between cells, and the memory behind its arrays.

    Taken when it is made: before anybody of ours holds on to a part of it, or that would count
    as held. It holds no object of the user's; `candidates` may go on holding their errors, and are
    left without their arrays. To make it, and to ask anything of it, may raise `Late`, where the
    time there is for all of a plan has been spent; what an item gives is then not measured.
    """

    def __init__(self, shell: Any, inspector: Inspector, candidates: Candidates) -> None:
        self._shell = shell
        self._turn = inspector.turn
        self.memory = ArrayMemory(inspector, candidates.arrays)
        candidates.arrays.clear()
        tables = [table for table, _ in self._holders(None)]
        self._lasting = {*map(id, tables), *tables_of_modules()}
        formatter = getattr(shell, "InteractiveTB", None)
        roots = [value for each in (*tables, formatter) for value in self._referred(each, None)]
        roots += candidates.errors
        uncounted = Counter({each: self.memory.by_pytorch[each] for each in self.memory.held})
        uncounted.update(map(id, candidates.errors))  # this list of ours
        self._graph = ReferenceGraph(
            inspector, roots, self.memory.held, uncounted=uncounted, lasting=self._lasting
        )
        # Whether there was time to come to all that may keep memory.
        self.whole = self._graph.complete and self._graph.whole
        self._arrays = set(self._numbered(self.memory.arrays))
        self._tracebacks = self._numbers(
            each for each in candidates.errors if type(each) is types.TracebackType
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
        """Return what comes back, on all devices, when `holders` let go of `values`.

        Without `holders` the notebook's namespaces let go (`Out` and `_` included). The errors
        that are remembered are taken to be gone, being in the safe set: they keep the arguments of
        what failed. A tensor among the holders lets go of its gradient. `graphs` are tensors that
        stay, but whose autograd graphs go. `None` where there is no time to tell.
        """
        own = [(each, None) for each in holders] if holders is not None else self._holders(None)
        cut = _Cut(list(values), own)
        return self._in_time(lambda: self._freed(cut, set(map(id, graphs))))

    def retained_by_remembered(self) -> Storages | None:
        """Return what comes back when the errors that are remembered are let go."""
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
        values = [each for each in values if self.knows(each)]
        freed = self._freed(_Cut(values, self._holders(names)))
        keys: dict[int, set[object]] = {}
        for each in values:
            below = self._below(self._numbers([each]))
            keys[id(each)] = freed & self.memory.of(self._ids(below))
        place = {each: number for number, each in enumerate(keys)}
        ids: dict[object, list[int]] = {}
        for each, own in keys.items():
            for key in own:
                ids.setdefault(key, []).append(each)
        groups = []
        while keys:
            group, together, waiting = list[int](), set[object](), [next(iter(keys))]
            while waiting:
                each = waiting.pop()
                own = keys.pop(each, set())
                group += [each] if own else []
                waiting += [other for key in own - together for other in ids[key]]
                together |= own
            if group:
                groups.append((sorted(group, key=place.__getitem__), self.memory.sized(together)))
        return groups

    def reachable(self, value: object) -> Storages:
        """Return what a value leads to, whoever else holds it.

        What an error remembers is not among it, nor the parameters that a graph only uses.
        """
        own = self._numbers([value])
        if own.isdisjoint(self._leading):
            return Storages()
        return self.memory.sized(self._parts(self._below(own, self._tracebacks)))

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

    def _holders(self, names: Collection[str] | None) -> list[Holder]:
        """Return the notebook's namespaces, of which these names let go, or all (`None`)."""
        shell = self._shell
        result = getattr(shell, "last_execution_result", None)
        others = (shell.history_manager.output_hist, shell.displayhook, result)
        spaces = [(each, names) for each in (shell.user_ns, shell.user_ns_hidden)]
        return [*spaces, *((each, None) for each in others if each is not None)]

    def _in_time(self, compute: Callable[[], set[object]]) -> Storages | None:
        """Return what is computed, with its bytes; `None` where there is no time for that."""
        with suppress(Late):
            return self.memory.sized(compute()) if self._graph.complete else None
        return None

    def _freed(self, cut: _Cut, detached: AbstractSet[int] = frozenset()) -> set[object]:
        """Return the storages that come back beside those of the remembered errors.

        `detached` are ids of tensors without a graph.
        """
        return self._simulate([cut, self._of_remembered()], detached) - self._freed_anyway

    @cached_property
    def _freed_anyway(self) -> set[object]:
        """The storages that only the remembered errors keep: they are in the safe set."""
        return self._simulate([self._of_remembered()], set())

    @cached_property
    def _going_anyway(self) -> set[int]:
        return self._going([self._of_remembered()])

    def _of_remembered(self) -> _Cut:
        values, holders = remembered(self._shell)
        known = [each for each in values if self.knows(each)]
        return _Cut(known, [(each, None) for each in holders])

    def _simulate(self, cuts: list[_Cut], detached: AbstractSet[int]) -> set[object]:
        memory = self.memory
        holders = {id(holder) for cut in cuts for holder, _ in cut.holders}
        values = [value for cut in cuts for value in cut.values]
        # Older versions of PyTorch hold gradients that no object of Python's leads to.
        nameless = {id(each) for each in values if not self.knows(each)}
        going = (self._ids(self._going(cuts)) | nameless) & memory.held
        gone = memory.of(going) | memory.of_graphs(detached) | memory.of_gradients(holders)
        return memory.not_kept(
            gone, memory.held - going, without_graphs=detached, without_gradients=holders
        )

    def _referred(self, holder: Any, names: Collection[str] | None) -> list[Any]:
        """Return what a holder refers to by itself or in its attributes, or under these names."""
        if names is not None:
            return [value for name, value in list(dict.items(holder)) if name in names]
        return gc.get_referents(holder, *self._tables_of(holder))

    def _tables_of(self, holder: Any) -> list[Any]:
        """Return the `__dict__` of an object, which newer Pythons make only when asked for it.

        The globals of a frame are not its own.
        """
        if is_kind(holder, dict):
            return []
        tables = [each for each in gc.get_referents(holder) if type(each) is dict]
        return [each for each in tables if id(each) not in self._lasting]

    def _going(self, cuts: list[_Cut]) -> set[int]:
        """Return what goes with these cuts."""
        graph, let_go = self._graph, Counter[int]()
        left: dict[int, tuple[int, ...]] = {}
        for cut in cuts:
            roots = self._numbers(cut.values)
            for holder, names in cut.holders:
                referred = self._numbered(map(id, self._referred(holder, names)))
                let_go.update(number for number in referred if number in roots)
                for number in self._numbers([holder, *self._tables_of(holder)]):
                    kept = left.get(number, graph.refers[number])
                    left[number] = tuple([one for one in kept if one not in roots])

        def referred_by(numbers: AbstractSet[int]) -> Iterator[int]:
            rest = chain.from_iterable(map(left.__getitem__, numbers & left.keys()))
            return chain(graph.all_referred_by(numbers - left.keys()), rest)

        below = self._below(self._numbers(value for cut in cuts for value in cut.values))
        let_go.update(referred_by(below))
        held = {each for each in below if graph.counts[each] > let_go.get(each, 0)}
        return below - all_from(held, referred_by, self._turn)

    def _below(self, numbers: AbstractSet[int], closed: AbstractSet[int] = frozenset()) -> set[int]:
        """Return all that objects lead to, themselves included, but not through `closed`."""
        refers = self._graph.all_referred_by
        return all_from(numbers, lambda fresh: refers(fresh - closed), self._turn)

    def _above(self, numbers: Iterable[int]) -> set[int]:
        """Return all that leads to objects, themselves included."""
        return all_from(numbers, self._graph.all_referring_to, self._turn)

    @cached_property
    def _leading(self) -> set[int]:
        """All that leads to memory."""
        return self._above(self._arrays)

    def _numbers(self, values: Iterable[Any]) -> set[int]:
        return set(self._numbered(map(id, values)))

    def _numbered(self, ids: Iterable[int]) -> Iterator[int]:
        """Return the numbers of those objects that are in the graph, as often as they come."""
        numbers = self._graph.numbers
        return (numbers[each] for each in ids if each in numbers)

    def _parts(self, numbers: AbstractSet[int]) -> set[object]:
        """Return the storages that objects keep, of those in graphs what no array keeps."""
        memory, ids = self.memory, self._ids(numbers)
        return memory.of_values(ids) | (memory.of_graphs(ids) & memory.only_saved.keys())

    def _ids(self, numbers: AbstractSet[int]) -> set[int]:
        return set(map(self._graph.ids.__getitem__, numbers & self._arrays))
