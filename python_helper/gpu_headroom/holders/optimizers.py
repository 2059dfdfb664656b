"""An optimizer: its state per parameter, and the parameters it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..kinds import is_kind
from . import objects

if TYPE_CHECKING:
    from .walk import Place, Walk


def visit(walk: Walk, optimizer: Any, place: Place) -> None:
    """Read `state` and `param_groups` where the optimizer keeps them."""
    attributes = objects.attributes(walk, optimizer)
    groups = attributes.get("param_groups")
    for index, group in enumerate(groups if is_kind(groups, list) else ()):
        walk.push(group, place.step(f".param_groups[{index}]", "parameters"))
    state = attributes.get("state")
    if is_kind(state, dict):
        walk.push(list(dict.values(state)), place.step(".state", "optimizer_state"))
    for name, value in attributes.items():
        if name not in ("state", "param_groups"):
            walk.push(value, place.step(f".{name}"))
