"""A tensor, its gradient, and the graph behind it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from ..inspection.classes import comes_from
from . import objects

if TYPE_CHECKING:
    from .place import Place
    from .walk import Walk


def visit(walk: Walk, tensor: Any, place: Place) -> None:
    """Enter a tensor; it may hold more tensors in attributes of its own."""
    inspector = walk.inspector
    torch = inspector.torch
    assert torch is not None  # noqa: S101  tensors are only found where it is
    if place.kind == "tensor" and comes_from(type(tensor), torch.parameter):
        place = place.seen_as("parameters")
    graph = inspector.graph_of(tensor)
    if graph is not None:
        walk.graphs.append((graph, place))
        walk.results.append((tensor, place))
        if place.kind == "tensor":
            place = place.seen_as("activations")  # a result that a backward pass goes back from
    walk.enter(tensor, place)
    gradient = inspector.gradient_of(tensor)
    if gradient is not None:
        walk.push(gradient, place.step("gradient", kind="gradients"))
    if any(type(each) is dict for each in gc.get_referents(tensor)) or torch.wraps(tensor):
        objects.visit(walk, tensor, place)
