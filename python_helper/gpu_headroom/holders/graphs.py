"""What autograd keeps for the backward pass: memory that no Python object shows.

`_saved_…` would unpack, which runs hooks (checkpointing recomputes, offloading copies);
`_raw_saved_….data` only looks. PyTorch before 2.5 has no `data`: there the walk finds nothing,
and the bytes stay not attributed. Never read beside a backward pass, which releases them: a walk
that is not `native` comes to no graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..inspection.classes import comes_from
from . import objects, tensors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .place import Place
    from .walk import Walk


_UNSEEN = 99


def visit_graphs(walk: Walk) -> None:
    """Enter what the graphs found so far have saved, each node once, for whoever came first."""
    graphs, walk.graphs = walk.graphs, []
    with walk.quiet():
        for root, place in graphs:
            _visit_graph(walk, root, place.step("graph", kind="activations"))


def _visit_graph(walk: Walk, root: Any, place: Place) -> None:
    waiting = [root]
    while waiting and not walk.out_of_time():
        node = waiting.pop()
        if node is None or walk.nodes.get(node, _UNSEEN) <= place.rank:
            continue
        walk.nodes[node] = place.rank
        for saved in saved_by(walk, node):
            _enter(walk, saved, place)
        _visit_leaf(walk, node, place)
        waiting += [following for following, _ in node.next_functions]


def _enter(walk: Walk, saved: Any, place: Place) -> None:
    torch = walk.torch
    if torch is None or not comes_from(type(saved), torch.tensor):
        return
    tensors.found(walk, saved, place, graph=True)
    if torch.wraps(saved):
        for inner in objects.attributes(walk, saved).values():
            _enter(walk, inner, place)


def _visit_leaf(walk: Walk, node: Any, place: Place) -> None:
    """A graph ends in leaves: those that are parameters of a model that nobody names."""
    variable, torch = leaf(node), walk.torch
    if variable is None or torch is None:
        return
    kind: Any = "parameters" if comes_from(type(variable), torch.parameter) else "tensor"
    _enter(walk, variable, place.seen_as(kind))
    gradient = torch.get(variable, "grad")
    if gradient is not None:
        _enter(walk, gradient, place.seen_as("gradients"))


def leaf(node: Any) -> Any:
    """Return the variable that a graph ends in at this node, if it ends here."""
    return getattr(node, "variable", None) if type(node).__name__ == "AccumulateGrad" else None


def saved_by(walk: Walk, node: Any) -> Iterator[Any]:
    """Yield what a node has saved for the backward pass, tensors and others, without unpacking."""
    kind = type(node)
    if kind not in walk.saved_names:
        walk.saved_names[kind] = _saved_names(kind)
    for name in walk.saved_names[kind]:
        try:
            saved = getattr(node, name)
        except RuntimeError:
            continue  # freed by the backward pass
        for each in saved if isinstance(saved, (tuple, list)) else (saved,):
            try:
                yield each.data
            except (AttributeError, RuntimeError):
                continue
    yield from objects.attributes(walk, node).values()  # what a custom Function keeps


def _saved_names(kind: type) -> tuple[str, ...]:
    return tuple([name for name in dir(kind) if name.startswith("_raw_saved_")])
