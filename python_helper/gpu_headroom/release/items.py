"""What can be freed, in the order of freeing: one file per kind of item."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from . import (
    cache,
    errors,
    framework_caches,
    garbage,
    gradients,
    graphs,
    offload,
    optimizer_state,
    outputs,
    tracebacks,
    variables,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from ..wire import Item
    from .freeable import Freeable
    from .situation import Situation

KINDS: dict[str, Callable[[Situation], Iterator[Freeable]]] = {
    "traceback": tracebacks.items,
    "outputs": outputs.items,
    "output": outputs.items,
    "error": errors.items,
    "variable": variables.items,
    "leftover": variables.items,
    "graph": graphs.items,
    "gradients": gradients.items,
    "optimizer_state": optimizer_state.items,
    "offload": offload.items,
    "restore": offload.items,
    "framework_cache": framework_caches.items,
    "garbage": garbage.items,
    "cache": cache.items,
}
"""What finds the items of each kind, in the order of freeing."""

SAFE = ("outputs", "traceback", "garbage", "cache")
"""What is freed unless something else is asked for: no variable that the user named goes."""

SAFE_KINDS = frozenset({*SAFE, "output"})
_WITHOUT_LOOKING = frozenset({"garbage", "cache", "framework_cache"})


def kind_of(item_id: str) -> str:
    """Return the kind that an id begins with, `output` for a single displayed value."""
    return item_id.partition(":")[0]


def find(situation: Situation, wanted: Collection[str] | None = None) -> list[Freeable]:
    """Return what can be freed, or what of it is `wanted`, in the order of freeing.

    `outputs` are all displayed values. A file that fails costs its own items only.
    """
    if situation.poisoned is not None:
        return []  # even a look could touch the GPU
    kinds = set(KINDS) if wanted is None else {kind_of(each) for each in wanted}
    if kinds - _WITHOUT_LOOKING:
        situation.reachable.look()
    found: list[Freeable] = []
    for items in dict.fromkeys(items for kind, items in KINDS.items() if kind in kinds):
        try:
            found += items(situation)
        except Exception as error:  # noqa: BLE001  what else can be freed must not suffer
            situation.failed("release", error)
    return [each for each in found if wanted is None or each.id in wanted or _as_one(each, wanted)]


def _as_one(item: Freeable, wanted: Collection[str]) -> bool:
    return item.kind == "outputs" and "outputs" in wanted


def plan(situation: Situation) -> list[Item]:
    """List the items with what each would give back if it alone were freed, over all devices.

    Collects garbage first: it would count as holding what it refers to.
    """
    if situation.poisoned is None:
        gc.collect()
    return [each.as_wire() for each in find(situation)]
