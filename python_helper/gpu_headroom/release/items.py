"""Items that can be freed, in the order of freeing: one file per kind."""

from __future__ import annotations

import gc
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from ..concurrency.turns import ConcurrentUseError, TimeLimitError
from ..text.messages import message
from ..wings import added
from . import (
    caches,
    errors,
    graphs,
    outputs,
    tracebacks,
    training,
    variables,
)
from .freeable import Freeable, Kind
from .memory import Storages

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from ..protocol.generated.wire import Item, Shared
    from .situation import Situation


def _garbage(_: Situation) -> Iterator[Freeable]:
    """Yield what nothing reaches, which is collected before all else, and so measured only then."""
    yield Freeable(
        id="garbage",
        kind="garbage",
        title=message("item.garbage"),
        cost=message("item.garbage.cost"),
        gives=None,
        free=lambda: None,
    )


_OWN = {
    "traceback": Kind(tracebacks.items, safe=True, selected=True, whole=True),
    "outputs": Kind(outputs.items, safe=True, selected=True),
    "error": Kind(errors.items),
    "variable": Kind(variables.items),
    "leftover": Kind(variables.items),
    "graph": Kind(graphs.items, of_autograd=True),
    "gradients": Kind(training.gradients, of_autograd=True),
    "optimizer_state": Kind(training.optimizer_state, of_autograd=True),
    "framework_cache": Kind(caches.items, of_autograd=True),
    "garbage": Kind(_garbage, safe=True, selected=True, whole=True, looks=False),
    "cache": Kind(caches.unused_blocks, safe=True, whole=True, looks=False, adds_headroom=False),
}
SAFE = tuple([name for name, kind in _OWN.items() if kind.safe])
_MOST_SHARED = 100


@cache
def kinds() -> Mapping[str, Kind]:
    """Return all kinds by name, those of wings among them, in the order of freeing."""
    order = list(_OWN.items())
    for module in added("items"):
        for name, kind in module.KINDS.items():
            names = [key for key, _ in order]
            order.insert(names.index(kind.before), (name, kind))
    return dict(order)


def kind_of(item_id: str) -> str:
    """Return the kind that an id begins with; `output:5` is one of the outputs."""
    kind = item_id.partition(":")[0]
    return "outputs" if kind == "output" else kind


def find(situation: Situation, wanted: Collection[str] | None = None) -> list[Freeable]:
    """Return the items that can be freed, or the `wanted` ones, in the order of freeing.

    `outputs` are all displayed values. A file that fails only loses its own items. Beside other
    threads of the user's, items that change gradients and graphs are blocked.
    """
    if situation.stopped is not None:
        return []  # even a look could touch the GPU
    registry = kinds()
    names = [name for name, kind in registry.items() if kind.holds is None]
    if wanted is not None:
        kind_names = {kind_of(item) for item in wanted}
        names = [name for name in registry if name in kind_names]
        situation.wanted = frozenset(wanted)
    freeables: list[Freeable] = []
    looks = any(registry[name].looks for name in names)
    try:
        with situation.looking(wanted or ()) if looks else nullcontext():
            seen = [name for name in names if situation.sees or registry[name].whole]
            for items in dict.fromkeys(registry[name].items for name in seen):
                _find(situation, items, freeables)
    except ConcurrentUseError:
        situation.complete = False
        freeables = [item for item in freeables if not registry[item.kind].looks]
    threads = [*situation.turn.company.inside, *situation.turn.company.waiting]
    if threads:
        why = message("item.beside", name=threads[0])
        freeables = [
            replace(item, blocked=why) if registry[item.kind].of_autograd else item
            for item in freeables
        ]
    if wanted is None:
        return freeables
    together = {"outputs"}.intersection(wanted)  # all of them may be wanted as one
    return [item for item in freeables if item.id in wanted or item.kind in together]


def _find(
    situation: Situation,
    items: Callable[[Situation], Iterator[Freeable]],
    found: list[Freeable],
) -> None:
    """Add the items of a file, those that were found before it failed included."""
    try:
        found.extend(items(situation))
    except TimeLimitError:
        situation.complete = False
    except Exception as error:  # noqa: BLE001  what else can be freed must not suffer
        situation.failed("release", error)


def measured(situation: Situation, wanted: Collection[str] | None = None) -> list[Freeable]:
    """Return the items of `find`, each with the memory that it alone would free.

    Collects garbage first, as garbage would count as a referrer.
    """
    collect(situation)
    return find(situation, wanted)


def collect(situation: Situation) -> None:
    """Collect garbage on the main thread, where code of the person's may run that it sets off.

    It is one step for Python, and a long one where there are millions of objects. Without it the
    cycles that a failed cell leaves would count as holding what the error does.
    """
    turn = situation.turn
    if situation.stopped is None and turn.lists_all:
        situation.turn.yield_main()
        situation.turn.on_main(gc.collect)


def plan(situation: Situation) -> list[Item]:
    """List all that can be freed, as it travels."""
    return [as_wire(item) for item in measured(situation)]


def as_wire(item: Freeable) -> Item:
    """Return an item as it travels."""
    kind = kinds()[item.kind]
    return {
        "id": item.id,
        "kind": item.kind,
        "name": item.name,
        "title": item.title,
        "cost": item.cost,
        "expected_bytes": item.expected_bytes,
        "safe": kind.safe,
        "selected": kind.selected,
        "adds_headroom": kind.adds_headroom,
        "names": list(item.names),
        "confirm": item.confirm,
        "blocked": item.blocked,
    }


def shared(found: Iterable[Freeable]) -> list[Shared]:
    """Return the bytes that several items would free, most first: they are freed only once.

    Items that cannot be freed now are left out.
    """
    offered = [freeable for freeable in found if freeable.blocked is None]
    givers: dict[object, list[str]] = {}
    for item in offered:
        for storage in item.gives or ():
            givers.setdefault(storage, []).append(item.id)
    sizes, groups = together(offered), Counter[tuple[str, ...]]()
    for storage, ids in givers.items():
        if len(ids) > 1:
            groups[tuple(ids)] += sizes[storage]
    return [{"ids": list(ids), "bytes": size} for ids, size in groups.most_common(_MOST_SHARED)]


def together(found: Iterable[Freeable]) -> Storages:
    """Return what items give together, each storage once."""
    return Storages(chain.from_iterable((item.gives or Storages()).items() for item in found))
