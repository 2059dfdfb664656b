"""Whether many objects lead to GPU memory at all: asked a level at a time, at the speed of C.

A data set of a million small objects would use up the budget if each were visited.
"""

from __future__ import annotations

import gc
from itertools import compress
from typing import TYPE_CHECKING, Any

from . import containers, objects, tensors

if TYPE_CHECKING:
    from .walk import Walk

_LEVELS = 6
_MOST = 50_000


def leads_nowhere(walk: Walk, members: list[Any]) -> bool:
    """Return whether nothing that `members` refer to can be or hold GPU memory.

    `False` where it cannot be told: then each member has to be visited.
    """
    level = members
    tested: set[int] = set()
    for _ in range(_LEVELS):
        walk.turn.pause()
        kinds = kinds_among(walk, level)
        holding = [kind for kind in kinds if _may_hold(walk, kind)]
        if not holding:
            return True
        if len(holding) < len(kinds):
            level = of_kinds(walk, level, holding)
        if level is not members:
            level = _new(walk, level, tested)
        if not all(_passive(walk, kind, level) for kind in holding):
            return False
        level = gc.get_referents(*level)
        if len(level) > _MOST:
            return False
    return False


def kinds_among(walk: Walk, values: list[Any]) -> list[type]:
    """Return the classes of many objects, each once."""
    if walk.plain_classes:
        return list(set(map(type, values)))
    kinds = list(map(type, values))
    return list(dict(zip(map(id, kinds), kinds, strict=True)).values())


def of_kinds(walk: Walk, values: list[Any], kinds: list[type]) -> list[Any]:
    """Return those of many objects whose class is one of `kinds`."""
    if walk.plain_classes:
        return list(compress(values, map(set(kinds).__contains__, map(type, values))))
    ids = set(map(id, kinds))
    return list(compress(values, map(ids.__contains__, map(id, map(type, values)))))


def _may_hold(walk: Walk, kind: type) -> bool:
    visit = walk.visit_of(kind)
    return visit is not None and visit is not objects.visit_class


def _passive(walk: Walk, kind: type, values: list[Any]) -> bool:
    """Whether a class is a plain container or object, or its tensors have no GPU memory."""
    visit = walk.visit_of(kind)
    if visit is tensors.visit:
        return all(tensors.idle(walk, each) for each in values if type(each) is kind)
    return visit is objects.visit or visit in containers.PLAIN


def _new(walk: Walk, values: list[Any], tested: set[int]) -> list[Any]:
    """Drop what was looked at before: objects often refer to the same others, or back."""
    unique = dict(zip(map(id, values), values, strict=True))
    fresh = [each for number, each in unique.items() if number not in tested]
    tested.update(unique)
    return [each for each in fresh if not walk.seen(each)]
