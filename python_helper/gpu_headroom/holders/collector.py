"""What the gc knows: the objects there are to find, and those that no walk came by."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from ..inspection.classes import heirs
from ..inspection.kinds import name_of
from . import modules, suspended
from .place import Place
from .reach import of_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .inspector import Inspector
    from .names import Root
    from .walk import Walk


def kinds(inspector: Inspector) -> list[type]:
    """Return the classes of all models, optimizers and arrays."""
    torch = inspector.torch
    bases: list[type | None] = [kind for arrays in inspector.frameworks for kind in arrays.kinds]
    return heirs(*bases, *((torch.nn_module, torch.optimizer) if torch is not None else ()))


def listed(inspector: Inspector, wanted: list[type]) -> list[Any] | None:
    """Return the objects of the `wanted` classes that the gc knows: not what `gc.freeze` put away.

    `None` where there is no time to list all: millions of objects are sorted out at a stretch.
    """
    if not inspector.turn.lists_all:
        return None
    with inspector.turn.at_a_stretch():
        return of_kinds(inspector, gc.get_objects(), wanted)


def known(walk: Walk, *, needed: bool = True) -> list[Any]:
    """Return the models, optimizers and arrays with GPU memory that the gc knows.

    What else may lead to them, being suspended or a promise, is left to the walk. Where they are
    not `needed`, many objects are not listed for them.
    """
    inspector = walk.inspector
    holders, others = kinds(inspector), suspended.kinds()
    is_long = inspector.turn.has_many and not needed
    found = None if is_long else listed(inspector, [*holders, *others])
    walk.unlisted |= found is None
    walk.promises = of_kinds(inspector, found or [], others)
    with inspector.quiet():
        return [
            kind
            for kind in of_kinds(inspector, found or [], holders)
            if not walk.out_of_time() and not inspector.is_idle(kind)
        ]


def all_found(walk: Walk, values: Iterable[Any]) -> bool:
    """Whether the memory of all these and their graphs have been found.

    Then what is left of the user's objects could only give other names.
    """
    inspector, keys = walk.inspector, {held.storage.key for held in walk.ledger}
    with inspector.quiet():
        for each in values:
            graph = inspector.graph_of(each) if inspector.is_tensor(each) else None
            if graph is not None and graph not in walk.nodes:
                return False
            if any(storage.key not in keys for storage in inspector.storages(each)):
                return False
    return True


def unreached(walk: Walk, values: Iterable[Any]) -> list[Root]:
    """Return what no walk came by as places to walk from, under the names of their classes.

    Models come before the models they are parts of, and these before single tensors.
    """
    left, inspector = [each for each in values if not walk.has_seen(each)], walk.inspector
    wholes = [each for each in left if inspector.is_module(each)]
    inner = {id(each) for one in wholes for each in modules.children(inspector.attributes(one))}
    left.sort(key=lambda each: id(each) in inner)
    return [(each, Place("elsewhere", "", row=str.__str__(name_of(type(each))))) for each in left]
