"""Whether many objects lead to GPU memory at all: asked a level at a time, at the speed of C.

A data set of a million small objects would use up the budget if each were visited.
"""

from __future__ import annotations

import gc
from itertools import compress
from typing import TYPE_CHECKING, Any

from . import arrays, containers, objects

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from .inspector import Inspector

LONG = 500
"""From so many members on a container is opened last, and run by run."""

_LEVELS = 6
_MOST = 50_000
_RUN = 2_000


def promising(
    inspector: Inspector,
    members: list[Any],
    *,
    late: Callable[[], bool],
    seen: Container[int] = (),
) -> Iterator[tuple[int, Any]]:
    """Yield the members of a long container, with their index, of all runs that lead somewhere.

    `seen` are the ids of objects that need not be looked at again.
    """
    for start in range(0, len(members), _RUN):
        run = members[start : start + _RUN]
        if not late() and not _leads_nowhere(inspector, run, seen):
            yield from enumerate(run, start)


def of_kinds(inspector: Inspector, values: list[Any], kinds: list[type]) -> list[Any]:
    """Return those of many objects whose class is one of `kinds`."""
    if inspector.plain_classes:
        return list(compress(values, map(set(kinds).__contains__, map(type, values))))
    ids = set(map(id, kinds))
    return list(compress(values, map(ids.__contains__, map(id, map(type, values)))))


def _leads_nowhere(inspector: Inspector, members: list[Any], seen: Container[int]) -> bool:
    """Return whether nothing that `members` refer to can be or retain GPU memory.

    `False` where that is unknown: then each member has to be visited.
    """
    level = members
    tested: set[int] = set()
    for _ in range(_LEVELS):
        inspector.turn.pause()
        kinds = _kinds_among(inspector, level)
        holding = [kind for kind in kinds if _may_hold(inspector, kind)]
        if not holding:
            return True
        if len(holding) < len(kinds):
            level = of_kinds(inspector, level, holding)
        if level is not members:
            # Objects often refer to the same others, or back.
            unique = dict(zip(map(id, level), level, strict=True))
            level = [
                value
                for number, value in unique.items()
                if number not in tested and number not in seen
            ]
            tested.update(unique)
        if not all(_is_passive(inspector, kind, level) for kind in holding):
            return False
        level = gc.get_referents(*level)
        if len(level) > _MOST:
            return False
    return False


def _kinds_among(inspector: Inspector, values: list[Any]) -> list[type]:
    """Return the classes of many objects, each once."""
    if inspector.plain_classes:
        return list(set(map(type, values)))
    kinds = list(map(type, values))
    return list(dict(zip(map(id, kinds), kinds, strict=True)).values())


def _may_hold(inspector: Inspector, kind: type) -> bool:
    visit = inspector.visit_of(kind)
    return visit is not None and visit is not objects.visit_class


def _is_passive(inspector: Inspector, kind: type, values: list[Any]) -> bool:
    """Whether a class is a plain container or object, or its tensors have no GPU memory."""
    visit = inspector.visit_of(kind)
    if visit is arrays.visit_tensor:
        return all(inspector.is_idle(value) for value in values if type(value) is kind)
    return visit is objects.visit or visit in containers.PLAIN
