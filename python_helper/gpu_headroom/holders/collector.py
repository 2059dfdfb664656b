"""Objects from the gc: those that may have GPU memory, and those that no walk reached."""

from __future__ import annotations

import gc
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..inspection.classes import heirs
from ..inspection.kinds import name_of
from . import modules, suspended
from .place import Place
from .reach import of_kinds
from .referrers import AT_ONCE, Search

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .inspector import Inspector
    from .names import Root
    from .walk import Walk

_WORTH_A_SEARCH = 2**20  # bytes
_LASTING = 0.1  # of all that was found
_LASTING_DEPTH = 3  # of a dictionary or list that holds it


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
    """Return the models, optimizers and arrays with GPU memory that the gc lists.

    Suspended functions and Futures, which may lead to others, are stored in `walk.promises`.
    Unless `needed`, nothing is listed in a kernel with many objects.
    """
    inspector = walk.inspector
    holders, suspended_kinds = kinds(inspector), suspended.kinds()
    is_long = inspector.turn.has_many and not needed
    objects = None if is_long else listed(inspector, [*holders, *suspended_kinds])
    walk.unlisted |= objects is None
    walk.promises = of_kinds(inspector, objects or [], suspended_kinds)
    with inspector.quiet():
        return [
            kind
            for kind in of_kinds(inspector, objects or [], holders)
            if not walk.out_of_time() and not inspector.is_idle(kind)
        ]


def all_found(walk: Walk, values: Iterable[Any]) -> bool:
    """Whether the memory of all these and their graphs have been found.

    Then what is left of the user's objects could only give other names.
    """
    inspector, keys = walk.inspector, {held.storage.key for held in walk.ledger}
    with inspector.quiet():
        for value in values:
            graph = inspector.graph_of(value) if inspector.is_tensor(value) else None
            if graph is not None and graph not in walk.nodes:
                return False
            if any(storage.key not in keys for storage in inspector.storages(value)):
                return False
    return True


def enter_unreached(walk: Walk, shell: Any, values: list[Any]) -> None:
    """Walk to the values that were not reached so far, from what retains them, else from them.

    Values without a referrer are shown by class, as garbage or as objects that only the gc lists.
    """
    search = Search(walk, shell, values, walk.promises)
    while (targets := _largest(walk, values)) and not walk.inspector.turn.late:
        for root in search.roots(targets) or search.unled():
            walk.run([root])
    walk.truncated |= bool(targets) or not search.complete
    orphans = [value for value in values if walk.place_of(value) is None]
    kinds = [str.__str__(name_of(type(obj))) for obj in orphans]
    places = [Place("elsewhere", "", row=kind) for kind in kinds]
    walk.run(list(zip(orphans, places, strict=True)))


def _largest(walk: Walk, values: Iterable[Any]) -> list[Any]:
    """Return what no walk came by that leads to the most memory that has not been found.

    Models come before the models they are parts of, and these before single arrays.
    """
    inspector, keys = walk.inspector, {held.storage.key for held in walk.ledger}
    candidates = [value for value in values if walk.place_of(value) is None]
    models = [obj for obj in candidates if inspector.is_module(obj)]
    inner = {id(child) for one in models for child in modules.children(inspector.attributes(one))}
    wholes = [model for model in models if id(model) not in inner]
    for some in (wholes, candidates):
        sizes: dict[int, int] = {}
        for number, obj in enumerate(some):
            for array in modules.all_tensors(obj, inspector):
                size = sum(one.bytes for one in inspector.storages(array) if one.key not in keys)
                sizes[number] = sizes.get(number, 0) + size
        largest = sorted(sizes, key=lambda number: -sizes[number])[:AT_ONCE]
        if largest and sizes[largest[0]] >= _WORTH_A_SEARCH:
            return [some[number] for number in largest if sizes[number] >= _WORTH_A_SEARCH]
    return []


def lasting(walk: Walk, shell: Any, roots: list[Root]) -> list[Root]:
    """Return the ways to objects of failed functions that a module keeps, as its global engine.

    Of those that much is behind: freeing the traceback would not free that.
    """
    sizes, total = Counter[int](), 0
    for held in walk.ledger:
        total += held.storage.bytes
        if held.origin == "traceback":
            sizes[id(held.place.way[0])] += held.storage.bytes
    objects = [
        value
        for value, place in roots
        if sizes[id(place)] > _LASTING * total and not walk.inspector.is_array(value)
    ]
    del objects[AT_ONCE:]
    if not objects:
        return []
    search = Search(walk, shell, below=Place("traceback", ""))
    return search.roots(objects, depth=_LASTING_DEPTH, until=0.8)
