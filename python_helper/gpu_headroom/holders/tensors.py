"""A tensor, its gradient, and the graph behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import objects

if TYPE_CHECKING:
    from .walk import Place, Walk


def visit(walk: Walk, tensor: Any, place: Place) -> None:
    """Enter a tensor; its class may hold more tensors in attributes of its own."""
    torch = walk.torch
    if place.kind == "tensor" and torch.parameter in type(tensor).__mro__:
        place = place.step("", "parameters")
    graph = torch.get(tensor, "grad_fn")
    if graph is not None:
        walk.graphs.append((graph, place))
        if place.kind == "tensor":
            place = place.step("", "activations")  # a result that a backward pass goes back from
    walk.found(tensor, place)
    if torch.get(tensor, "is_leaf"):  # elsewhere reading `grad` warns
        gradient = torch.get(tensor, "grad")
        if gradient is not None:
            walk.push(gradient, place.step(".grad", "gradients"))
    if torch.get(tensor, "layout") is not torch.module.strided:
        for name, part in torch.parts(tensor):
            walk.found(part, place.step(f".{name}"))
    if type(tensor) is not torch.tensor and type(tensor) is not torch.parameter:
        objects.visit(walk, tensor, place)
