"""An optimizer: its state per parameter, and the parameters it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..inspection.kinds import is_kind
from . import objects

if TYPE_CHECKING:
    from .place import Place
    from .walk import Walk


def visit(walk: Walk, optimizer: Any, place: Place) -> None:
    """Read `state` and `param_groups` where the optimizer keeps them."""
    attributes = objects.attributes(walk, optimizer)
    groups, state = attributes.get("param_groups"), attributes.get("state")
    if is_kind(groups, list):
        walk.push(groups, place.step("group", kind="parameters"))
    if is_kind(state, dict):
        # Its keys are the parameters themselves: a state is told by their order.
        walk.push(list(dict.values(state)), place.step("state", kind="optimizer_state"))
    for name, value in attributes.items():
        if name not in ("state", "param_groups"):
            walk.push(value, place.step("attribute", name))
