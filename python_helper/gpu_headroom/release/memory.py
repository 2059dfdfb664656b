"""The memory behind arrays and behind their graphs, by their ids."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..concurrency.turns import Turn
from ..holders import elsewhere, graphs, tensors
from .references import all_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from ..holders.walk import Walk

    Keys = tuple[object, ...]


class Sizes(dict[object, int]):
    """Storages with their bytes."""

    @property
    def bytes(self) -> int:
        """The bytes of all of them, over all devices."""
        return sum(self.values())

    def without(self, others: Sizes) -> Sizes:
        """Return those that are not among others."""
        return Sizes((key, size) for key, size in self.items() if key not in others)


@dataclass
class ArrayMemory:
    """What arrays keep, by their ids: `behind` them, in their `gradients`, and in their graphs.

    `graphs` has the node that an array came from; a node has the storages that it saved and the
    nodes that follow it. `by_pytorch` counts PyTorch's own references, for as long as C++ needs
    an array. `loose` are arrays that no Python object holds: a graph may.
    """

    sizes: Sizes = field(default_factory=Sizes)
    behind: dict[int, Keys] = field(default_factory=dict)
    gradients: dict[int, Keys] = field(default_factory=dict)
    graphs: dict[int, int] = field(default_factory=dict)
    nodes: list[tuple[Keys, tuple[int, ...]]] = field(default_factory=list)
    by_pytorch: dict[int, int] = field(default_factory=dict)
    loose: set[int] = field(default_factory=set)
    turn: Turn = field(default_factory=Turn)

    @cached_property
    def held(self) -> set[int]:
        """The ids of arrays that Python objects hold."""
        return self.arrays - self.loose

    @cached_property
    def arrays(self) -> set[int]:
        """The ids of all arrays: one at the host may keep a graph."""
        return {*self.behind, *self.gradients, *self.graphs}

    def of(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages that arrays, their gradients and their graphs keep."""
        return self.of_values(arrays) | self.of_graphs(arrays)

    def of_values(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages that arrays and their gradients keep."""
        behind = map(self.behind.__getitem__, arrays & self.behind.keys())
        return self.of_gradients(arrays).union(*behind)

    def not_kept(
        self,
        keys: set[object],
        arrays: AbstractSet[int],
        *,
        without_graphs: AbstractSet[int],
        without_gradients: AbstractSet[int],
    ) -> set[object]:
        """Return those of `keys` that none of `arrays` keeps, but for some graphs and gradients."""
        parents = arrays - without_gradients
        left = {
            key
            for key in keys
            if arrays.isdisjoint(self.owners.get(key, ()))
            and parents.isdisjoint(self.parents.get(key, ()))
        }
        if not left.isdisjoint(self.saved):
            left -= self.of_graphs(arrays - without_graphs)
        return left

    @cached_property
    def owners(self) -> dict[object, list[int]]:
        """The arrays that a storage is behind."""
        return _turned(self.behind)

    @cached_property
    def parents(self) -> dict[object, list[int]]:
        """The arrays whose gradient a storage is behind."""
        return _turned(self.gradients)

    @cached_property
    def saved(self) -> set[object]:
        """The storages that some graph has saved."""
        return set(self._savers)

    @cached_property
    def only_saved(self) -> Sizes:
        """What no array keeps, but graphs do: it would come back if all of them went."""
        arrays = self.held
        kept = self.not_kept(self.saved, arrays, without_graphs=arrays, without_gradients=set())
        return self.sizes_of(kept)

    def of_gradients(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages of the gradients of arrays."""
        return set().union(*map(self.gradients.__getitem__, arrays & self.gradients.keys()))

    def of_graphs(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages that the graphs of arrays have saved."""
        roots = map(self.graphs.__getitem__, arrays & self.graphs.keys())
        nodes = self._all_from(roots, self._after)
        return {key for each in nodes for key in self.nodes[each][0]}

    def keepers(self, keys: AbstractSet[object]) -> set[int]:
        """Return the ids of the arrays that keep one of these storages, as those of `of` do."""
        turned = (self.owners, self.parents)
        arrays = {each for table in turned for key in keys for each in table.get(key, ())}
        saving = (n for key in keys for n in self._savers.get(key, ()))
        nodes = self._all_from(saving, self._before)
        return arrays | {each for each, node in self.graphs.items() if node in nodes}

    @cached_property
    def _savers(self) -> dict[object, list[int]]:
        """The nodes that saved a storage."""
        return _turned({number: saved for number, (saved, _) in enumerate(self.nodes)})

    def _all_from(self, start: Iterable[int], table: Sequence[Iterable[int]]) -> set[int]:
        return all_from(start, lambda fresh: (n for each in fresh for n in table[each]), self.turn)

    @cached_property
    def _after(self) -> list[tuple[int, ...]]:
        """The nodes that follow each node."""
        return [following for _, following in self.nodes]

    @cached_property
    def _before(self) -> list[list[int]]:
        """The nodes that each node follows."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for number, (_, following) in enumerate(self.nodes):
            for each in following:
                found[each].append(number)
        return found

    def sizes_of(self, keys: Iterable[object]) -> Sizes:
        """Return storages with their bytes."""
        return Sizes((key, self.sizes[key]) for key in keys)


class Inventory:
    """Takes stock of memory; holds nothing of it afterwards."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._found = ArrayMemory(turn=walk.turn)
        self._numbers: dict[Any, int] = {}

    def take(self, arrays: list[Any]) -> ArrayMemory:
        """Return the memory of arrays as it is now; the list alone of ours may hold them.

        Raises `Late` where the turn of the walk is over before that.
        """
        found, walk = self._found, self._walk
        with walk.quiet():
            self._count(arrays)
            for array in arrays:
                walk.turn.check()
                keys = self._keys_of(array)
                if keys:
                    found.behind[id(array)] = keys
            for array in arrays:
                walk.turn.check()
                if walk.torch is not None and walk.visit_of(type(array)) is tensors.visit:
                    self._enter_kept(walk.torch, array)
        self._numbers.clear()
        return found

    def _count(self, arrays: list[Any]) -> None:
        """Find those that only PyTorch itself refers to.

        Older versions do not show this; there they count as held.
        """
        arrays.append(object())
        *counts, ours = map(sys.getrefcount, arrays)
        arrays.pop()
        found, torch = self._found, self._walk.torch
        for each, count in zip(arrays, counts, strict=True):
            is_tensor = torch is not None and self._walk.visit_of(type(each)) is tensors.visit
            own = torch.kept_by_itself(each) if torch is not None and is_tensor else 0
            found.by_pytorch[id(each)] = own
            if count - ours <= own:
                found.loose.add(id(each))

    def _enter_kept(self, torch: Any, tensor: Any) -> None:
        root = torch.get(tensor, "grad_fn")
        if root is not None:
            self._found.graphs[id(tensor)] = self._number(root)
        gradient = tensors.gradient_of(self._walk, tensor)
        if gradient is not None:
            self._found.gradients[id(tensor)] = self._keys_of(gradient)

    def _number(self, root: Any) -> int:
        """Give numbers to a graph's nodes that have none yet."""
        nodes = self._found.nodes
        waiting = [] if root in self._numbers else [root]
        fresh: list[Any] = []
        while waiting:
            node = waiting.pop()
            if node in self._numbers:
                continue
            self._walk.turn.check()
            self._numbers[node] = len(nodes) + len(fresh)
            fresh.append(node)
            waiting += _following(node)
        nodes += [
            (
                tuple([key for each in self._saved(node) for key in self._keys_of(each)]),
                tuple([self._numbers[each] for each in _following(node)]),
            )
            for node in fresh
        ]
        return self._numbers[root]

    def _saved(self, node: Any) -> Iterator[Any]:
        yield from graphs.saved_by(self._walk, node)
        variable, torch = graphs.leaf(node), self._walk.torch
        if variable is not None and torch is not None:
            yield variable
            if id(variable) not in self._found.behind:
                yield torch.get(variable, "grad")  # of a model that Python does not know

    def _keys_of(self, array: Any) -> Keys:
        """Return the storages behind an array; nothing for what is no array."""
        known = self._found.behind.get(id(array))
        if known is not None:
            return known
        storages = elsewhere.storages(self._walk, array)
        self._found.sizes.update((each.key, each.bytes) for each in storages)
        return tuple([each.key for each in storages])


def _turned(table: dict[int, Keys]) -> dict[object, list[int]]:
    found: dict[object, list[int]] = {}
    for each, keys in table.items():
        for key in keys:
            found.setdefault(key, []).append(each)
    return found


def _following(node: Any) -> list[Any]:
    return [each for each, _ in node.next_functions if each is not None]
