"""PyTorch's models and optimizers: read from their dictionaries, never through their methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import is_kind, name_of
from ..inspection.tables import items_of
from .place import Edge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .place import Place
    from .visit import Inspected, Walked

PARAMETER = Edge("parameter", "parameter `{name}`", role="within")
BUFFER = Edge("buffer", "buffer `{name}`", role="within")
MODULE = Edge("module", "module `{name}`", role="within")
STATE = Edge("state", "optimizer state", ".state", "within")
GROUP = Edge("group", "parameter group", ".param_groups", "within")
_LISTS = ("Sequential", "ModuleList")
_MOST_PARTS = 20_000
_TENSORS = {"_parameters": PARAMETER, "_buffers": BUFFER}


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a variable leads to, by its path, and whether it is in training mode.

    A wrapper is not where all that it wraps is in evaluation mode.
    `key` tells it from others as long as it is there. `blocks` are the parts made of parts that
    stand in a list, at most.
    """

    name: str
    training: bool
    type_name: str = ""
    key: int = 0
    blocks: int = 0


def visit(walk: Walked, module: Any, place: Place) -> None:
    """A model: parameters and buffers, its submodules, and what its author put beside them."""
    attributes = walk.inspector.attributes(module)
    if place.via is None or place.via.kind != "module":
        kind = str.__str__(name_of(type(module)))
        blocks, trains = _looked_through(walk.inspector, module)
        training = trains and attributes.get("training") is not False
        walk.models.append(Model(place.path, training, kind, id(module), blocks))
    for table, edge in _TENSORS.items():
        for name, tensor in _items(attributes.pop(table, None)):
            walk.push(tensor, place.step(name, edge, "parameters"))
    for name, child in _items(attributes.pop("_modules", None)):
        # A model may be nested deeper than any container: its depth is not counted.
        walk.push(child, place.step(name, MODULE, deeper=0))
    for name, value in attributes.items():
        walk.push(value, place.step(name))


def visit_optimizer(walk: Walked, optimizer: Any, place: Place) -> None:
    """An optimizer: its state per parameter, and the parameters it was given."""
    attributes = walk.inspector.attributes(optimizer)
    groups, state = attributes.pop("param_groups", None), attributes.pop("state", None)
    if is_kind(groups, list):
        walk.push(groups, place.step(edge=GROUP, kind="parameters"))
    if is_kind(state, dict):
        # The keys are the parameters themselves: a state is identified by its position.
        walk.push(list(dict.values(state)), place.step(edge=STATE, kind="optimizer_state"))
    for name, value in attributes.items():
        walk.push(value, place.step(name))


def parts(model: Any, attributes: Callable[[Any], dict[str, Any]]) -> list[Any]:
    """Return a model and all models in it, each once."""
    models: dict[int, Any] = {}
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if id(part) not in models:
            models[id(part)] = part
            waiting += children(attributes(part))
    return list(models.values())


def children(attributes: dict[str, Any]) -> list[Any]:
    """Return the submodules that a module with these attributes has itself."""
    return [child for _, child in named_children(attributes)]


def named_children(attributes: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the submodules with the names that their module has for them, in its order."""
    return _items(attributes.get("_modules"))


def all_tensors(value: Any, inspector: Inspected) -> list[Any]:
    """Return the parameters and buffers of a model, or an array itself."""
    if not inspector.is_module(value):
        return [value]
    inner = parts(value, inspector.attributes)
    return [tensor for part in inner for tensor in tensors_of(inspector.attributes(part))]


def tensors_of(attributes: dict[str, Any], tables: Iterable[str] = _TENSORS) -> list[Any]:
    """Return the parameters and buffers that a module with these attributes has itself."""
    return [member for table in tables for _, member in _items(attributes.get(table))]


def _looked_through(inspector: Inspected, module: Any) -> tuple[int, bool]:
    """Return how many blocks a model has, and whether a part without parts is in training mode."""
    most, trains = 0, False
    waiting = [(module, children(inspector.attributes(module)))]
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        part, inside = waiting.pop()
        parts = [(inner, children(inspector.attributes(inner))) for inner in inside]
        trains |= not parts and inspector.attributes(part).get("training") is not False
        if str.__str__(name_of(type(part))) in _LISTS:
            most = max(most, sum(bool(further) for _, further in parts))
        waiting += parts
    return most, trains


def _items(table: object) -> list[tuple[str, Any]]:
    if not is_kind(table, dict):
        return []
    return [(name, value) for name, value in items_of(table) if value is not None]
