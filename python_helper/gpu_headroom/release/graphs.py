"""Autograd graphs that variables retain: each has the activations of a whole forward pass.

`detach_` removes the graph and keeps the value, in place, so for every reference to the tensor.
PyTorch refuses it for views. Variables whose graphs overlap, such as an output and its loss, are
one item: one of them alone would free next to nothing.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ..concurrency.turns import Turn
from ..holders.inspector import Inspector
from ..holders.names import name_roots
from ..holders.walk import Walk
from ..inspection.classes import defines
from ..text.format import MIB
from ..text.messages import message
from .freeable import Freeable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..holders.names import Root
    from ..protocol.generated.wire import Message
    from .memory import ArrayMemory
    from .situation import Situation

_MOST = 5


class _Result(NamedTuple):
    """A tensor with a graph, the code to reach it, and whether it is a view."""

    tensor: Any
    path: str
    view: bool


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield the variables with tensors whose graph alone keeps memory in use."""
    heap = situation.heap
    if heap.memory.only_saved.bytes < MIB:
        return
    roots = heap.roots_leading(name_roots(situation.shell), to=heap.memory.graphs)
    results = _results(situation.inspector, roots)
    for names in _families(results, heap.memory)[:_MOST]:
        yield from _item(situation, names, [result for name in names for result in results[name]])


def _item(situation: Situation, names: list[str], results: list[_Result]) -> Iterator[Freeable]:
    free = [result.tensor for result in results if not result.view]
    views = [result.path for result in results if result.view]
    given = situation.heap.retained((), graphs=free)
    if given is not None and given.bytes < MIB and (free or not views):
        return
    shown = ", ".join(names)
    yield Freeable(
        id=f"graph:{names[0]}",
        kind="graph",
        name=names[0],
        title=message("item.graph", names=shown),
        cost=message("item.graph.cost", names=shown),
        gives=given,
        free=partial(_free, situation.shell, names),
        confirm=message("confirm.graph", names=shown),
        blocked=None if free else message("item.graph.view", path=views[0]),
    )


def _results(inspector: Inspector, roots: Iterable[Root]) -> dict[str, list[_Result]]:
    """Return the tensors with a graph that variables lead to and that can be detached."""
    results: dict[str, list[_Result]] = {}
    walk, torch = Walk(inspector, into_graphs=False), inspector.torch
    if torch is None:
        return results
    walk.run(roots)
    with torch.quiet():
        for tensor, place in walk.results:
            own = defines(type(tensor), "__torch_dispatch__", until=torch.tensor)
            if not own and not torch.wraps(tensor):
                result = _Result(tensor, place.path, torch.get(tensor, "_is_view")())
                results.setdefault(place.root, []).append(result)
    return results


def _families(results: dict[str, list[_Result]], memory: ArrayMemory) -> list[list[str]]:
    """Group the variables whose graphs have nodes in common, the leaves aside."""
    families: list[tuple[list[str], set[int]]] = []
    for name, group in results.items():
        behind = memory.nodes_behind({id(result.tensor) for result in group})
        names, nodes = [name], {node for node in behind if memory.following[node]}
        for family in [candidate for candidate in families if not nodes.isdisjoint(candidate[1])]:
            families.remove(family)
            names, nodes = family[0] + names, family[1] | nodes
        families.append((names, nodes))
    return [names for names, _ in families]


def _free(shell: Any, names: list[str]) -> Message | None:
    turn, view_count = Turn(), 0
    with turn.walking():
        inspector = Inspector(turn)
        roots = [root for root in name_roots(shell) if root[1].root in names]
        results = _results(inspector, roots)
        with inspector.quiet():
            for result in chain.from_iterable(results.values()):
                if result.view:
                    view_count += 1
                elif inspector.torch is not None:
                    inspector.torch.get(result.tensor, "detach_")()
    return message("item.graph.views_left", count=view_count) if view_count else None
