"""The memory behind arrays and behind their graphs, by their ids."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..holders import graphs
from .reference_graph import all_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from ..frameworks.torch.tensors import Torch
    from ..holders.inspector import Inspector

    Keys = tuple[object, ...]


class Storages(dict[object, int]):
    """Storages with their bytes."""

    @property
    def bytes(self) -> int:
        """The bytes of all of them, over all devices."""
        return sum(self.values())


class ArrayMemory:
    """Memory of arrays, by their ids: their storages, those of their gradients, and their graphs.

    `graphs` has the node that an array came from; `saved` has the storages of each node and
    `following` the next nodes. `by_pytorch` counts PyTorch's own references, while C++ uses an
    array. `held` are arrays that Python objects refer to; others may be referred to by graphs.
    `sharing` is the number of tensors of a storage, as far as PyTorch reports it. `unseen` are
    storages that C++ retains for an unknown reason. It refers to no array; of the helper's objects
    only the argument may. Raises `TimeLimitError` if the turn is over before the end.
    """

    def __init__(self, inspector: Inspector, arrays: list[Any]) -> None:
        self.storages: dict[int, Keys] = {}
        self.gradients: dict[int, Keys] = {}
        self.graphs: dict[int, int] = {}
        self.saved: list[Keys] = []
        self.sharing: dict[object, int] = {}
        self.unseen: set[object] = set()
        self.following: list[list[int]] = []
        self.by_pytorch: dict[int, int] = {}
        self.sizes = Storages()
        self._turn = inspector.turn
        with inspector.quiet():
            self._loose = self._count(inspector, arrays)
            for array in arrays:
                self._turn.check()
                keys = self._keys_of(inspector, array)
                if keys:
                    self.storages[id(array)] = keys
            self._enter_kept(inspector, arrays)
        self.arrays = {*self.storages, *self.gradients, *self.graphs}
        self.held = self.arrays - self._loose

    def sized(self, keys: Iterable[object]) -> Storages:
        """Return storages with their bytes."""
        return Storages((key, self.sizes[key]) for key in keys)

    def of(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages that arrays, their gradients and their graphs keep."""
        return self.of_values(arrays) | self.of_graphs(arrays)

    def of_values(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages that arrays and their gradients keep."""
        own = map(self.storages.__getitem__, arrays & self.storages.keys())
        return self.of_gradients(arrays).union(*own)

    def of_gradients(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages of the gradients of arrays."""
        return set().union(*map(self.gradients.__getitem__, arrays & self.gradients.keys()))

    def of_graphs(self, arrays: AbstractSet[int]) -> set[object]:
        """Return the storages that the graphs of arrays have saved."""
        return set().union(*map(self.saved.__getitem__, self.nodes_behind(arrays)))

    def nodes_behind(self, arrays: AbstractSet[int]) -> set[int]:
        """Return the nodes of the graphs of arrays."""
        roots = map(self.graphs.__getitem__, arrays & self.graphs.keys())
        return self._all_from(roots, self.following)

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
        result = {
            key
            for key in keys - self.unseen
            if arrays.isdisjoint(self.owners.get(key, ()))
            and parents.isdisjoint(self._parents.get(key, ()))
        }
        if not result.isdisjoint(self._savers):
            result -= self.of_graphs(arrays - without_graphs)
        return result

    def keepers(self, keys: AbstractSet[object]) -> set[int]:
        """Return the ids of the arrays that keep one of these storages, as those of `of` do."""
        turned = (self.owners, self._parents)
        arrays = {array for table in turned for key in keys for array in table.get(key, ())}
        saving = (node for key in keys for node in self._savers.get(key, ()))
        nodes = self._all_from(saving, self._preceding)
        return arrays | {array for array, node in self.graphs.items() if node in nodes}

    @cached_property
    def owners(self) -> dict[object, list[int]]:
        """The arrays that a storage is behind."""
        return _turned(self.storages)

    @cached_property
    def only_saved(self) -> Storages:
        """Storages that only graphs retain: they would be freed with all of these."""
        saved, arrays = set(self._savers), self.held
        return self.sized(
            self.not_kept(saved, arrays, without_graphs=arrays, without_gradients=set())
        )

    @cached_property
    def leaves(self) -> set[object]:
        """The storages of the parameters that graphs end in."""
        ends = (saved for saved, more in zip(self.saved, self.following, strict=True) if not more)
        return set(chain.from_iterable(ends))

    @cached_property
    def _parents(self) -> dict[object, list[int]]:
        """The arrays whose gradient a storage is behind."""
        return _turned(self.gradients)

    @cached_property
    def _savers(self) -> dict[object, list[int]]:
        """The nodes that saved a storage."""
        return _turned(dict(enumerate(self.saved)))

    @cached_property
    def _preceding(self) -> list[list[int]]:
        """The nodes that each node follows."""
        preceding: list[list[int]] = [[] for _ in self.following]
        for node, following in enumerate(self.following):
            for other in following:
                preceding[other].append(node)
        return preceding

    def _all_from(self, start: Iterable[int], table: Sequence[Iterable[int]]) -> set[int]:
        return all_from(start, lambda fresh: (n for node in fresh for n in table[node]), self._turn)

    def _count(self, inspector: Inspector, arrays: list[Any]) -> set[int]:
        """Return the ids of those that only PyTorch itself refers to."""
        loose = set()
        for array, (count, own) in zip(arrays, inspector.references(arrays), strict=True):
            self.by_pytorch[id(array)] = own
            if count <= own:
                loose.add(id(array))
        return loose

    def _enter_kept(self, inspector: Inspector, arrays: list[Any]) -> None:
        """Enter gradients and graphs, whose nodes are let go of at the end."""
        roots: dict[int, Any] = {}
        for tensor in filter(inspector.is_tensor, arrays):
            self._turn.check()
            gradient, root = inspector.gradient_of(tensor), inspector.graph_of(tensor)
            if gradient is not None:
                self.gradients[id(tensor)] = self._keys_of(inspector, gradient)
            if root is not None:
                roots[id(tensor)] = root
        nodes: dict[Any, int] = {}
        for node in graphs.nodes(roots.values(), nodes):
            self._turn.check()
            saved = self._saved(inspector, node)
            keys = [key for array in saved for key in self._keys_of(inspector, array)]
            self.saved.append(tuple(keys))
        numbers = {node: number for number, node in enumerate(nodes)}
        self.following = [
            [numbers[successor] for successor in graphs.following(node)] for node in nodes
        ]
        self.graphs = {key: numbers[root] for key, root in roots.items()}
        tensors, torch = _tensors(inspector, arrays), inspector.torch
        for tensor in tensors.values():
            self._turn.check()
            sharing = torch.sharing(tensor) if torch is not None else None
            if sharing is not None:
                self.sharing.update(dict.fromkeys(self._keys_of(inspector, tensor), sharing))
        if torch is not None and not inspector.shows_saved:
            self._enter_made(torch, tensors, [inspector.may_save(made_by) for made_by in nodes])

    def _enter_made(self, torch: Torch, tensors: dict[int, Any], may_save: list[bool]) -> None:
        """Enter what nodes may have saved without showing it: results of them or the next nodes.

        A tensor was saved if no Python object refers to it, or if C++ has more references to it or
        its storage than are known. It counts as saved by each node that may have saved it.
        """
        counts = Counter(key for obj in tensors for key in self.storages.get(obj, ()))
        shared = {key for key, count in self.sharing.items() if count > counts[key]}
        referring = Counter(id(one) for obj in tensors.values() for one in _used_by(torch, obj))
        shown, saved = set(self.leaves), set(shared)
        for number, tensor in tensors.items():
            self._turn.check()
            node, keys = self.graphs.get(number), self.storages.get(number, ())
            loose = number in self._loose
            if (torch.uses(tensor) or 0) - 1 > referring[number]:
                saved.update(keys)
            elif not loose and shared.isdisjoint(keys):
                continue
            if node is None:
                continue
            savers = [saver for saver in self._preceding[node] if may_save[saver]]
            if savers or not loose:
                for saver in (*savers, node) if may_save[node] else savers:
                    self.saved[saver] += keys
                shown.update(keys)
        self.unseen = saved - shown

    def _saved(self, inspector: Inspector, node: Any) -> Iterator[Any]:
        yield from inspector.saved_by(node)
        variable, torch = graphs.leaf(node), inspector.torch
        if variable is not None and torch is not None:
            yield variable
            if id(variable) not in self.storages:
                yield torch.get(variable, "grad")  # of a model that Python does not know

    def _keys_of(self, inspector: Inspector, array: Any) -> Keys:
        """Return the storages behind an array; nothing for what is no array."""
        keys = self.storages.get(id(array))
        if keys is not None:
            return keys
        storages = list(inspector.storages(array))
        self.sizes.update((storage.key, storage.bytes) for storage in storages)
        return tuple([storage.key for storage in storages])


def _tensors(inspector: Inspector, arrays: list[Any]) -> dict[int, Any]:
    """Return the tensors among arrays, and those that only they refer to, by ids."""
    torch = inspector.torch
    if torch is None:
        return {}
    own = list(filter(inspector.is_tensor, arrays))
    members = chain.from_iterable(_used_by(torch, tensor) for tensor in own)
    return {id(other): other for other in chain(own, members)}


def _used_by(torch: Torch, tensor: Any) -> list[Any]:
    """Return what a tensor refers to in C++: its gradient, and what it is a view of."""
    both = torch.gradient_of(tensor), torch.get(tensor, "_base")
    return [reference for reference in both if reference is not None]


def _turned(table: dict[int, Keys]) -> dict[object, list[int]]:
    turned: dict[object, list[int]] = {}
    for number, keys in table.items():
        for key in keys:
            turned.setdefault(key, []).append(number)
    return turned
