"""What would come back if some references went: simulated on the reference graph, in bytes.

An object goes when every reference to it comes from what lets go of it or from what goes with
it; its memory comes back unless another array, or the graph of one, keeps the same storage.
"""

from __future__ import annotations

import gc
import types
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..holders.classes import heirs
from ..holders.frames import cell_of, last_tracebacks
from ..holders.names import user_names
from ..holders.reach import of_kinds
from ..holders.storage import Torch
from ..holders.survey import gc_paused
from ..holders.walk import Walk
from ..kinds import is_kind
from .memory import Inventory, Memory
from .references import Census, References
from .tracebacks import remembered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from collections.abc import Set as AbstractSet

    Cut = tuple[Any, Collection[str] | None]

_BUDGET_S = 1.0


class Reachable:
    """The reference graph at one moment, between cells; it holds no object of the user's.

    Taken by `look`, at the latest with the first question: before anybody of ours holds on to
    a part of it, or that would count as held.
    """

    def __init__(self, shell: Any, *, budget_s: float = _BUDGET_S) -> None:
        self._shell = shell
        self._budget_s = budget_s
        self._references: References | None = None
        self._memory = Memory()
        self._lasting: set[int] = set()
        self._anyway: set[object] | None = None
        self._named: dict[int, list[str]] = {}

    def look(self) -> None:
        """Take the graph as it is now."""
        with gc_paused():
            self._look([])

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
    ) -> int | None:
        """Return the bytes, over all devices, that come back when `holders` let go of `values`.

        Without `holders` the notebook's namespaces let go (`Out` and `_` included), or only
        these `names` of theirs. The errors that are remembered are taken to be gone, being in
        the safe set: they keep the arguments of what failed. A tensor among the holders lets go
        of its gradient. `graphs` are tensors that stay, but whose autograd graphs go. `None`
        where the graph was too large for the time there is.
        """
        freed = self._freed(list(values), self._cuts(holders, names), set(map(id, graphs)))
        return None if freed is None else self._memory.bytes(freed)

    def of_remembered(self) -> int | None:
        """Return the bytes that come back when the errors that are remembered are let go."""
        freed = self._given_anyway()
        return None if freed is None else self._memory.bytes(freed)

    def groups(
        self, values: Iterable[Any], *, names: Collection[str]
    ) -> list[tuple[list[int], int]]:
        """Return which values, by id, free how much together when these `names` let go of them.

        Values that share memory are in one group, for one of them alone would free less.
        """
        # What is not in the graph leads to no memory; to look again would count us as holding.
        values = [each for each in values if self.knows(each) or not gc.is_tracked(each)]
        freed = self._freed(values, self._cuts(None, names), set()) or set()
        groups: list[tuple[list[int], set[object]]] = []
        for value in values:
            ids, keys = [id(value)], freed & self._keys(self._below(self._numbers([value])))
            for other in [each for each in groups if each[1] & keys]:
                groups.remove(other)
                ids, keys = other[0] + ids, other[1] | keys
            if keys:
                groups.append((ids, keys))
        return [(ids, self._memory.bytes(keys)) for ids, keys in groups]

    def held_by(self, values: Iterable[Any]) -> list[str]:
        """Return the other names, as `x`, `Out[5]` and the failed `In [5]`, that lead there."""
        own = self._numbers(values)
        keys = self._keys(self._below(own))
        return [
            name
            for number, names in self._named.items()
            if number not in own and keys & self._keys(self._below({number}))
            for name in names
        ]

    @property
    def _graph(self) -> References:
        if self._references is None:
            self.look()
        assert self._references is not None  # noqa: S101  look has just taken it
        return self._references

    def _look(self, more: list[Any]) -> None:
        walk = Walk(Torch.loaded(whole_blocks=True), budget_s=self._budget_s)
        tables = [each for each, _ in self._cuts(None, None)]
        self._memory = Inventory(walk).take()
        formatter = getattr(self._shell, "InteractiveTB", None)
        roots = [value for each in (*tables, formatter) for value in self._referred(each, None)]
        errors = [types.TracebackType, *heirs(BaseException).values()]
        roots += [*of_kinds(walk, gc.get_objects(), errors), *more]
        census = Census(walk, tables, self._memory.held, budget_s=self._budget_s)
        self._lasting = census.lasting
        self._references, self._anyway = census.take(roots), None
        self._named = self._names()

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

    def _cuts(self, holders: Iterable[Any] | None, names: Collection[str] | None) -> list[Cut]:
        """Return who lets go, and under which names of theirs; `None` is all."""
        if holders is not None:
            return [(each, None) for each in holders]
        shell = self._shell
        result = getattr(shell, "last_execution_result", None)
        others = (shell.history_manager.output_hist, shell.displayhook, result)
        spaces = [(each, names) for each in (shell.user_ns, shell.user_ns_hidden)]
        return [*spaces, *((each, None) for each in others if each is not None)]

    def _freed(
        self, values: list[Any], cuts: list[Cut], detached: AbstractSet[int]
    ) -> set[object] | None:
        """Return the storages that come back beside those of the remembered errors.

        `detached` are ids of tensors without a graph.
        """
        unknown = {id(each) for each in values if gc.is_tracked(each) and not self.knows(each)}
        if unknown - self._memory.loose:
            self._look([*values])
        anyway = self._given_anyway()
        if anyway is None:
            return None
        others, holders = remembered(self._shell)
        others = [each for each in others if self.knows(each)]
        cuts = [*cuts, *self._cuts(holders, None)]
        return self._simulate([*values, *others], cuts, detached, unknown) - anyway

    def _given_anyway(self) -> set[object] | None:
        """Return the storages that only the remembered errors keep: they are in the safe set."""
        if self._anyway is None and self._graph.complete:
            values, holders = remembered(self._shell)
            values = [each for each in values if self.knows(each)]
            self._anyway = self._simulate(values, self._cuts(holders, None), set(), set())
        return self._anyway

    def _simulate(
        self,
        values: list[Any],
        cuts: list[Cut],
        detached: AbstractSet[int],
        unknown: AbstractSet[int],
    ) -> set[object]:
        memory, holders = self._memory, {id(each) for each, _ in cuts}
        going = self._going(values, cuts, unknown) & memory.held
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

    def _going(
        self,
        values: list[Any],
        cuts: list[Cut],
        unknown: AbstractSet[int],
    ) -> set[int]:
        """Return the ids of the objects that go when all in `cuts` let go of `values`.

        Of those that were `unknown` before it is taken for granted that all let go.
        """
        graph = self._graph
        wanted, cut, loose = set(map(id, values)), set[int](), Counter[int]()
        for holder, names in cuts:
            cut |= self._numbers([holder, *self._tables_of(holder)])
            loose.update(id(each) for each in self._referred(holder, names) if id(each) in wanted)
        roots = self._numbers(values)
        below = self._below(roots)
        inside = Counter(
            each
            for number in below
            for each in graph.refers[number]
            if not (number in cut and each in roots)
        )
        held = {
            each
            for each in below
            if graph.counts[each] > inside[each] + loose[graph.ids[each]]
            and graph.ids[each] not in unknown
        }
        return {graph.ids[each] for each in below - self._below(held, cut, roots)}

    def _below(
        self, numbers: Iterable[int], cut: Collection[int] = (), roots: Collection[int] = ()
    ) -> set[int]:
        """Return all that objects lead to, themselves included; `cut` do not lead to `roots`."""
        refers = self._graph.refers
        found = set(numbers)
        waiting = list(found)
        while waiting:
            number = waiting.pop()
            for each in refers[number]:
                if each not in found and not (number in cut and each in roots):
                    found.add(each)
                    waiting.append(each)
        return found

    def _numbers(self, values: Iterable[Any]) -> set[int]:
        numbers = self._graph.numbers
        return {numbers[id(each)] for each in values if id(each) in numbers}

    def _keys(self, numbers: Iterable[int]) -> set[object]:
        return self._memory.of({self._graph.ids[each] for each in numbers})
