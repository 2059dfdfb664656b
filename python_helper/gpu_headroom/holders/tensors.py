"""A tensor, its gradient, and the graph behind it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from ..inspection.classes import comes_from
from . import objects

if TYPE_CHECKING:
    from .place import Place
    from .storage import Torch
    from .walk import Walk


def visit(walk: Walk, tensor: Any, place: Place) -> None:
    """Enter a tensor; it may hold more tensors in attributes of its own."""
    torch = _torch(walk)
    if place.kind == "tensor" and comes_from(type(tensor), torch.parameter):
        place = place.seen_as("parameters")
    graph = torch.get(tensor, "grad_fn") if walk.native else None
    if graph is not None:
        walk.graphs.append((graph, place))
        walk.results.append((tensor, place))
        if place.kind == "tensor":
            place = place.seen_as("activations")  # a result that a backward pass goes back from
    found(walk, tensor, place)
    gradient = gradient_of(walk, tensor)
    if gradient is not None:
        walk.push(gradient, place.step("gradient", kind="gradients"))
    if any(type(each) is dict for each in gc.get_referents(tensor)) or torch.wraps(tensor):
        objects.visit(walk, tensor, place)


def gradient_of(walk: Walk, tensor: Any) -> Any:
    """Return the gradient of a tensor that may have one: asked of another, PyTorch warns."""
    torch = _torch(walk)
    may_have = walk.native and (torch.get(tensor, "is_leaf") or torch.get(tensor, "retains_grad"))
    return torch.get(tensor, "grad") if may_have else None


def found(walk: Walk, tensor: Any, place: Place, *, graph: bool = False) -> None:
    """Enter the memory of a tensor, part by part where it has several."""
    for part, storage in _torch(walk).storages(tensor):
        walk.enter(storage, place.step("part", part) if part else place, graph=graph)


def idle(walk: Walk, tensor: Any) -> bool:
    """Whether a tensor has nothing to do with a GPU, as those of a data set on the CPU."""
    torch = _torch(walk)
    graph = torch.get(tensor, "grad_fn") if walk.native else None
    return graph is None and not torch.on_gpu(tensor)


def _torch(walk: Walk) -> Torch:
    assert walk.torch is not None  # noqa: S101  tensors are only found where it is
    return walk.torch
