"""What the gc knows: the objects there are to find, and those that no walk came by."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from ..inspection.classes import comes_from, heirs
from ..inspection.kinds import name_of
from . import arrays, modules, objects, tensors
from .place import Place
from .reach import of_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .names import Root
    from .storage import Storage
    from .walk import Walk


def kinds(walk: Walk) -> list[type]:
    """Return the classes of all models, optimizers and arrays."""
    torch = walk.torch
    bases: list[type | None] = [kind for each in walk.arrays for kind in each.kinds]
    if torch is not None:
        bases += [torch.tensor, torch.nn_module, torch.optimizer]
    found: dict[int, type] = {}
    for base in bases:
        found.update(heirs(base))
    return list(found.values())


def listed(walk: Walk, wanted: list[type]) -> list[Any] | None:
    """Return the objects of the `wanted` classes that the gc knows: not what `gc.freeze` put away.

    `None` where there is no time to list all: millions of objects are sorted out at a stretch.
    """
    if not walk.turn.lists_all:
        walk.truncated = True
        return None
    with walk.turn.at_a_stretch():
        return of_kinds(walk, gc.get_objects(), wanted)


def known(walk: Walk, among: list[Any] | None = None) -> list[Any]:
    """Return the models, optimizers and arrays with GPU memory `among` objects, or all."""
    found = listed(walk, kinds(walk)) or [] if among is None else of_kinds(walk, among, kinds(walk))
    with walk.quiet():
        return [each for each in found if not walk.out_of_time() and not _idle(walk, each)]


def all_found(walk: Walk, values: Iterable[Any]) -> bool:
    """Whether the memory of all these and their graphs have been found.

    Then what is left of the user's objects could only give other names.
    """
    keys = {held.storage.key for held in walk.ledger}
    with walk.quiet():
        for each in values:
            if walk.torch is not None and walk.visit_of(type(each)) is tensors.visit:
                key = walk.torch.key(each)
                if key is not None and key not in keys:
                    return False
                graph = walk.torch.get(each, "grad_fn") if walk.native else None
                if graph is not None and graph not in walk.nodes:
                    return False
            elif not _keys(walk, each) <= keys:
                return False
    return True


def unreached(walk: Walk, values: Iterable[Any]) -> list[Root]:
    """Return what no walk came by as places to walk from, under the names of their classes.

    Models come before the models they are parts of, and these before single tensors.
    """
    left = [each for each in values if not walk.seen(each)]
    inner: set[int] = set()
    if walk.torch is not None:
        for each in left:
            if comes_from(type(each), walk.torch.nn_module):
                inner.update(map(id, modules.children(objects.attributes(walk, each))))
    left.sort(key=lambda each: id(each) in inner)
    return [(each, Place("elsewhere", "", row=str.__str__(name_of(type(each))))) for each in left]


def objects_behind(walk: Walk, keys: Iterable[object]) -> list[Any]:
    """Return the arrays that the gc knows whose memory is one of `keys`. Let go of them soon."""
    wanted = set(keys)
    with walk.quiet():
        return [each for each in known(walk) if not wanted.isdisjoint(_keys(walk, each))]


def storages(walk: Walk, value: Any) -> list[Storage]:
    """Return the GPU memory behind an array; nothing for what is no array."""
    if walk.torch is not None and comes_from(type(value), walk.torch.tensor):
        return [storage for _, storage in walk.torch.storages(value)]
    for each in walk.arrays:
        if comes_from(type(value), *each.kinds):
            return list(each.storages(value))
    return []


def _keys(walk: Walk, value: Any) -> set[object]:
    return {storage.key for storage in storages(walk, value)}


def _idle(walk: Walk, value: Any) -> bool:
    visit = walk.visit_of(type(value))
    if visit is tensors.visit:
        return tensors.idle(walk, value)
    return visit is arrays.visit and not _keys(walk, value)
