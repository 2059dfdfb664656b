"""Autograd graphs: memory that is kept for the backward pass and that no Python object shows.

Never read beside a backward pass, which releases it: a walk that is not `native` comes to no graph.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..frameworks.torch import private
from ..inspection.classes import comes_from
from .place import Edge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..frameworks.storage import Storage
    from .place import Place
    from .visit import Walked

GRAPH = Edge("graph", "autograd graph", "", "within")
_UNSEEN = 99
_LONGER = 2  # times what was before
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def nodes(roots: Iterable[Any], seen: dict[Any, int], rank: int = 0) -> Iterator[Any]:
    """Yield the nodes of autograd graphs, each once, and note them in `seen` with this rank.

    Those that were seen with this rank or a lower one are left out, with all that follows them.
    """
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if seen.get(node, _UNSEEN) > rank:
            seen[node] = rank
            yield node
            waiting += following(node)


def following(node: Any) -> list[Any]:
    """Return the nodes that follow in the backward pass."""
    return [
        following_node for following_node, _ in node.next_functions if following_node is not None
    ]


def leaf(node: Any) -> Any:
    """Return the variable that a graph ends in at this node, if it ends here."""
    return getattr(node, "variable", None) if type(node).__name__ == "AccumulateGrad" else None


class Saver(NamedTuple):
    """An operation, the bytes of what its nodes save for the backward pass, the largest's shape."""

    operation: str
    bytes: int
    shape: tuple[int, ...]


def largest_savers(walk: Walked) -> dict[int, Saver]:
    """Return of each device the operation that saves most, each storage counted once."""
    held = {
        held_storage.storage.key: held_storage.storage
        for held_storage in walk.ledger
        if held_storage.kind == "activations"
    }
    storages: dict[tuple[int, str], list[Storage]] = {}
    for node, keys in walk.saved.items():
        name = _CAPITAL.sub("_", type(node).__name__.partition("Backward")[0]).lower()
        for storage in (held.pop(key) for key in keys if key in held):
            storages.setdefault((storage.device_index, name), []).append(storage)
    savers = []
    for (index, name), saved in storages.items():
        largest = max(saved, key=lambda candidate: candidate.bytes)
        savers.append((index, Saver(name, sum(s.bytes for s in saved), largest.shape or ())))
    return dict(sorted(savers, key=lambda saver: saver[1].bytes))


class Longer(NamedTuple):
    """A dimension of what is computed now, that of the round before, and the shape of what is."""

    now: int
    before: int
    shape: tuple[int, ...]


def longer_than_before(walk: Walked) -> Longer | None:
    """Return how much longer this pass's tensors are than those of a pass that went backward.

    Of that results keep the nodes, which know the shapes of all that they have made, and save
    nothing any more. Shapes are alike but for one dimension, which is not the first: there are
    always some of other rows. Of several the largest.
    """
    now, before = set[tuple[int, ...]](), set[tuple[int, ...]]()
    saves = [order_of(node) for node, keys in walk.saved.items() if keys]
    first = min(saves, default=0)
    for node in walk.nodes if saves else ():
        if leaf(node) is None:
            (before if order_of(node) < first else now).update(private.shapes_made(node))
    pairs = [
        Longer(shape[n], other[n], shape)
        for shape in now - before
        for other in before
        for n in range(1, len(shape) if len(shape) == len(other) else 0)
        if shape[n] >= _LONGER * other[n] > 1
        if (shape[:n], shape[n + 1 :]) == (other[:n], other[n + 1 :])
    ]
    return max(
        pairs, key=lambda candidate: (math.prod(candidate.shape), candidate.before), default=None
    )


def order_of(node: Any) -> int:
    """Order nodes as they were made: what an operation gets before it."""
    number = getattr(node, "_sequence_nr", None)
    return int(number()) if number is not None else 0


def visit_graphs(walk: Walked) -> None:
    """Enter what each node of the graphs found so far has saved, once, for the first root.

    Where nodes do not show what they save, `walk.saved_from` gets the nodes that made it.
    """
    graphs, walk.graphs = walk.graphs, []
    with walk.inspector.quiet():
        for root, origin in graphs:
            place = origin.step(edge=GRAPH, kind="activations")
            for node in nodes([root], walk.nodes, place.rank):
                if walk.out_of_time():
                    return
                walk.saved[node] = [
                    key
                    for tensor in walk.inspector.saved_by(node)
                    for key in _enter(walk, tensor, place)
                ]
                _enter_leaf(walk, node, place)
                if not walk.inspector.shows_saved and walk.inspector.may_save(node):
                    for next_node in following(node):
                        walk.saved_from.setdefault(next_node, place)


def enter_made(walk: Walked, values: list[Any]) -> None:
    """Enter those of `values` that only graphs retain, where graphs do not show what they save.

    A node saves results of other nodes. A tensor from such a node that no Python object refers to
    any more is retained for the backward pass. Tensors that Python has never had, and those that
    come from no node, such as a batch, are not found this way.
    """
    inspector, torch = walk.inspector, walk.inspector.torch
    if inspector.shows_saved or torch is None or not walk.saved_from:
        return
    with inspector.quiet():
        references = inspector.references(values)
        for value, (count, own) in zip(values, references, strict=True):
            if walk.out_of_time():
                return
            if count == own and inspector.is_tensor(value):
                place = walk.saved_from.get(inspector.graph_of(value))
                if place is not None:
                    walk.enter(value, place, graph=True)


def _enter(walk: Walked, saved: Any, place: Place) -> list[object]:
    inspector = walk.inspector
    if not inspector.is_tensor(saved):
        return []
    keys = walk.enter(saved, place, graph=True)
    if inspector.torch is not None and inspector.torch.wraps(saved):
        for inner in inspector.attributes(saved).values():
            keys += _enter(walk, inner, place)
    return keys


def _enter_leaf(walk: Walked, node: Any, place: Place) -> None:
    """Enter the leaf of a graph, with its gradient: a parameter, even of a model without a name."""
    variable, torch = leaf(node), walk.inspector.torch
    if variable is None or torch is None:
        return
    is_parameter = comes_from(type(variable), torch.parameter)
    keys = _enter(walk, variable, place.seen_as("parameters" if is_parameter else "tensor"))
    if is_parameter and place.origin == "traceback":
        walk.reached.update(keys)
    _enter(walk, torch.get(variable, "grad"), place.seen_as("gradients"))
