"""A model: parameters and buffers, its submodules, and what its author put beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import is_kind
from . import objects

if TYPE_CHECKING:
    from .place import Place, StepKind
    from .walk import Walk

_TENSORS: dict[str, StepKind] = {"_parameters": "parameter", "_buffers": "buffer"}


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a variable names, and whether it is in training mode."""

    name: str
    training: bool


def visit(walk: Walk, module: Any, place: Place) -> None:
    """Read the dictionaries of a module, never its methods: a model may override those."""
    attributes = objects.attributes(walk, module)
    if place.parent is None:
        walk.models.append(Model(place.root, attributes.get("training") is not False))
    for table, via in _TENSORS.items():
        for name, tensor in _items(attributes.get(table)):
            walk.push(tensor, place.step(via, name, "parameters"))
    for name, child in _items(attributes.get("_modules")):
        # A model may be nested deeper than any container: its depth is not counted.
        walk.push(child, place.step("module", name, deeper=0))
    for name, value in attributes.items():
        if name not in _TENSORS and name != "_modules":
            walk.push(value, place.step("attribute", name))


def children(attributes: dict[str, Any]) -> list[Any]:
    """Return the submodules that a module with these attributes has itself."""
    return [child for _, child in _items(attributes.get("_modules"))]


def _items(table: object) -> list[tuple[str, Any]]:
    if not is_kind(table, dict):
        return []
    return [(name, value) for name, value in dict.items(table) if value is not None]
