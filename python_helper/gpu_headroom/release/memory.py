"""The memory behind all arrays that the gc knows, and behind their graphs, by their ids."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..holders import elsewhere, graphs, tensors
from .references import kept_by_pytorch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from ..holders.storage import Storage
    from ..holders.walk import Walk

    Keys = tuple[object, ...]


@dataclass
class Memory:
    """What arrays keep, by their ids: `behind` them, in their `gradients`, and in their graphs.

    `graphs` has the node that an array came from; a node has the storages that it saved and the
    nodes that follow it. `loose` are arrays that no Python object holds: a graph may.
    """

    sizes: dict[object, int] = field(default_factory=dict)
    behind: dict[int, Keys] = field(default_factory=dict)
    gradients: dict[int, Keys] = field(default_factory=dict)
    graphs: dict[int, int] = field(default_factory=dict)
    nodes: list[tuple[Keys, tuple[int, ...]]] = field(default_factory=list)
    loose: set[int] = field(default_factory=set)

    @cached_property
    def held(self) -> set[int]:
        """The ids of arrays that Python objects hold."""
        return self.behind.keys() - self.loose

    def of(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages that arrays, their gradients and their graphs keep."""
        keys = {key for each in arrays for key in self.behind.get(each, ())}
        return keys | self.of_gradients(arrays) | self.of_graphs(arrays)

    def not_kept(
        self,
        keys: set[object],
        arrays: AbstractSet[int],
        *,
        without_graphs: AbstractSet[int],
        without_gradients: AbstractSet[int],
    ) -> set[object]:
        """Return those of `keys` that none of `arrays` keeps, but for some graphs and gradients."""
        left = {
            key
            for key in keys
            if arrays.isdisjoint(self.owners.get(key, ()))
            and (arrays - without_gradients).isdisjoint(self.parents.get(key, ()))
        }
        if any(not left.isdisjoint(saved) for saved, _ in self.nodes):
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

    def of_gradients(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages of the gradients of arrays."""
        return {key for each in arrays for key in self.gradients.get(each, ())}

    def of_graphs(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages that the graphs of arrays have saved."""
        waiting = [self.graphs[each] for each in arrays if each in self.graphs]
        seen, keys = set(waiting), set[object]()
        while waiting:
            saved, following = self.nodes[waiting.pop()]
            keys.update(saved)
            fresh = [each for each in following if each not in seen]
            seen.update(fresh)
            waiting += fresh
        return keys

    def bytes(self, keys: Iterable[object]) -> int:
        """Return the size of storages, over all devices."""
        return sum(self.sizes[key] for key in keys)


class Inventory:
    """Takes stock of memory; holds nothing of it afterwards."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._found = Memory()
        self._numbers: dict[Any, int] = {}

    def take(self) -> Memory:
        """Return the memory of all arrays that the gc knows, as it is now."""
        found, walk = self._found, self._walk
        with walk.quiet():
            arrays = elsewhere.known(walk)
            found.loose = self._loose(arrays)
            for array in arrays:
                keys = self._keys(elsewhere.storages(walk, array))
                if keys:
                    found.behind[id(array)] = keys
            for array in arrays:
                if walk.torch is not None and walk.visit_of(type(array)) is tensors.visit:
                    self._enter_kept(walk.torch, array)
        self._numbers.clear()
        return found

    def _loose(self, arrays: list[Any]) -> set[int]:
        """Return the ids of those that only PyTorch itself refers to.

        Older versions do not show this; there they count as held.
        """
        arrays.append(object())
        *counts, ours = map(sys.getrefcount, arrays)
        arrays.pop()
        counted = zip(arrays, counts, strict=True)
        return {
            id(each) for each, count in counted if count - ours <= kept_by_pytorch(self._walk, each)
        }

    def _enter_kept(self, torch: Any, tensor: Any) -> None:
        root = torch.get(tensor, "grad_fn")
        if root is not None:
            self._found.graphs[id(tensor)] = self._number(root)
        if torch.get(tensor, "is_leaf") or torch.get(tensor, "retains_grad"):
            gradient = torch.get(tensor, "grad")
            if gradient is not None:
                keys = self._keys(elsewhere.storages(self._walk, gradient))
                self._found.gradients[id(tensor)] = keys

    def _number(self, root: Any) -> int:
        """Give numbers to a graph's nodes that have none yet."""
        nodes = self._found.nodes
        waiting = [] if root in self._numbers else [root]
        fresh: list[Any] = []
        while waiting:
            node = waiting.pop()
            if node in self._numbers:
                continue
            self._numbers[node] = len(nodes) + len(fresh)
            fresh.append(node)
            waiting += _following(node)
        nodes += [
            (
                self._keys(self._saved(node)),
                tuple(self._numbers[each] for each in _following(node)),
            )
            for node in fresh
        ]
        return self._numbers[root]

    def _saved(self, node: Any) -> Iterator[Storage]:
        walk = self._walk
        variable = graphs.leaf(node)
        kept = [*graphs.saved_by(walk, node), variable]
        if variable is not None and walk.torch and id(variable) not in self._found.behind:
            kept.append(walk.torch.get(variable, "grad"))  # of a model that Python does not know
        for each in kept:
            yield from elsewhere.storages(walk, each)

    def _keys(self, storages: Iterable[Storage]) -> Keys:
        keys = []
        for storage in storages:
            self._found.sizes[storage.key] = storage.bytes
            keys.append(storage.key)
        return tuple(keys)


def _turned(table: dict[int, Keys]) -> dict[object, list[int]]:
    found: dict[object, list[int]] = {}
    for each, keys in table.items():
        for key in keys:
            found.setdefault(key, []).append(each)
    return found


def _following(node: Any) -> list[Any]:
    return [each for each, _ in node.next_functions if each is not None]
