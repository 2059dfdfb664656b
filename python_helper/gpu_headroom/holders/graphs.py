"""What autograd keeps for the backward pass: memory that no Python object shows.

`_saved_…` would unpack, which runs hooks (checkpointing recomputes, offloading copies);
`_raw_saved_….data` only looks. PyTorch before 2.5 has no `data`: there the walk finds nothing,
and the bytes stay not attributed. Run between cells or in a failed cell, never beside a
running backward pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import objects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .walk import Place, Walk


def visit_graphs(walk: Walk) -> None:
    """Enter what the graphs found so far have saved, each node once, for whoever came first."""
    seen: set[Any] = set()
    graphs, walk.graphs = walk.graphs, []
    with walk.torch.quiet():
        for root, place in graphs:
            _visit_graph(walk, root, place, seen)


def _visit_graph(walk: Walk, root: Any, place: Place, seen: set[Any]) -> None:
    waiting = [root]
    saved_place = place.step("", "activations")
    while waiting and not walk.out_of_time():
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        for saved in _saved(walk, node):
            _enter(walk, saved, saved_place)
        _visit_leaf(walk, node, place)
        waiting += [following for following, _ in node.next_functions]


def _enter(walk: Walk, saved: Any, place: Place) -> None:
    if walk.torch.tensor in type(saved).__mro__:
        walk.found(saved, place)


def _visit_leaf(walk: Walk, node: Any, place: Place) -> None:
    """A graph ends in leaves: those that are parameters of a model that nobody names."""
    variable = getattr(node, "variable", None) if type(node).__name__ == "AccumulateGrad" else None
    if variable is None:
        return
    kind: Any = "parameters" if walk.torch.parameter in type(variable).__mro__ else "tensor"
    walk.found(variable, place.step("", kind))
    gradient = walk.torch.get(variable, "grad")
    if gradient is not None:
        walk.found(gradient, place.step(".grad", "gradients"))


def _saved(walk: Walk, node: Any) -> Iterator[Any]:
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
    return tuple(name for name in dir(kind) if name.startswith("_raw_saved_"))
