"""Arrays of frameworks, PyTorch's tensors among them, and what the walk does with one."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, Protocol

from ..frameworks.registry import BESIDE_TORCH, part
from ..inspection.classes import comes_from
from . import objects
from .place import Edge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..frameworks.storage import Storage
    from .place import Place
    from .visit import Walked

    class Arrays(Protocol):
        """The arrays of one framework. Made only where it is imported and has been initialised."""

        kinds: tuple[type, ...]

        def storages(self, array: Any) -> Iterable[Storage]:
            """Return the GPU memory behind an array, one storage per device."""


GRADIENT = Edge("gradient", "gradient", ".grad", "within")
PART = Edge("part", "its part `{name}`", ".{}()", "within")


def loaded() -> list[Arrays]:
    """Return the frameworks beside PyTorch that this process has imported and initialised."""
    readers = [part(folder, "arrays").arrays() for folder in BESIDE_TORCH]
    return [array for array in readers if array is not None]


def visit(walk: Walked, array: Any, place: Place) -> None:
    """Enter the memory of an array."""
    walk.enter(array, place)


def visit_tensor(walk: Walked, tensor: Any, place: Place) -> None:
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
        walk.push(gradient, place.step(edge=GRADIENT, kind="gradients"))
    if any(type(referent) is dict for referent in gc.get_referents(tensor)) or torch.wraps(tensor):
        of_samples = "grad_sample" in inspector.attributes(tensor)  # scales with the batch
        objects.visit(walk, tensor, place.seen_as("activations") if of_samples else place)
