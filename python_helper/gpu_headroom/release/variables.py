"""Variables of the notebook that keep GPU memory: deleting one is the user's to confirm.

What a loop left behind is one of them with a lower price: its last item, and what only its body
uses.
"""

from __future__ import annotations

import types
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from ..code.loops import left_behind
from ..holders.names import namespaces, user_names
from ..inspection.classes import comes_from
from ..text.format import MIB
from ..text.messages import message
from .freeable import Freeable
from .outputs import displayed_as, forget

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from ..protocol.generated.wire import Message
    from .situation import Situation

    Kind = Literal["variable", "leftover"]

_MOST = 20
_TITLES = {
    "variable": ("item.variable", "item.variable.same"),
    "leftover": ("item.leftover", "item.leftover.same"),
}
_CODE = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield the largest variables, each with all names of the very same object; left-overs last."""
    values = user_names(situation.shell)
    sizes = Counter(_sizes(situation, values))
    leftovers = left_behind((run.source for run in situation.cells), sizes, situation.turn)
    aliases: dict[int, tuple[str, ...]] = {}
    for name, _ in sizes.most_common(_MOST):
        value = values[name]
        names = tuple([alias for alias, other in values.items() if other is value])
        aliases.setdefault(id(value), names)
    for names in sorted(aliases.values(), key=leftovers.issuperset):
        kind: Kind = "leftover" if leftovers.issuperset(names) else "variable"
        yield _deletion(situation, kind, names, sizes)


def _sizes(situation: Situation, values: dict[str, Any]) -> dict[str, int]:
    """Return the bytes that variables lead to, also from other objects; none for code."""
    sizes = {
        name: situation.heap.reachable(value).bytes
        for name, value in values.items()
        if not _is_code(value)
    }
    return {name: size for name, size in sizes.items() if size >= MIB}


def _is_code(value: object) -> bool:
    return comes_from(type(value), *_CODE)


def _deletion(
    situation: Situation,
    kind: Kind,
    names: tuple[str, ...],
    sizes: Counter[str],
) -> Freeable:
    shell, values = situation.shell, user_names(situation.shell)
    value = values[names[0]]
    gives = situation.heap.retained([value])
    expected = None if gives is None else gives.bytes
    holders: list[str] = []
    if expected is not None and expected < sizes[names[0]]:
        holders = [holder for holder in situation.heap.held_by([value]) if holder not in names]
    shown: dict[str, Any] = {"names": ", ".join(names)}
    confirm = "confirm.delete_unmeasured" if expected is None else "confirm.delete"
    stay = all(other not in values or _is_code(values[other]) for other in holders)
    for_good = expected == 0 and holders and stay
    return Freeable(
        id=f"{kind}:{names[0]}",
        kind=kind,
        name=names[0],
        title=message(_TITLES[kind][len(names) > 1], **shown),
        cost=_cost(kind, expected, holders),
        gives=gives,
        free=partial(delete, shell, names),
        names=names,
        displayed=displayed_as(shell, value),
        confirm=message(confirm, **shown, **({} if gives is None else {"freed_bytes": expected})),
        blocked=message("item.variable.blocked", name=holders[0]) if for_good else None,
    )


def _cost(kind: str, expected: int | None, others: list[str]) -> Message:
    if others:
        return message("item.variable.shared", name=others[0])
    if expected == 0:
        return message("item.variable.held")
    return message("item.variable.cost" if kind == "variable" else "item.leftover.cost")


def holds_memory(situation: Situation, value: object) -> bool:
    """Whether a variable keeps a MiB or more; never one that is code."""
    return not _is_code(value) and situation.heap.reachable(value).bytes >= MIB


def delete(shell: Any, names: tuple[str, ...]) -> None:
    """Delete variables, and what IPython keeps of them: displayed, and of scripts."""
    values = user_names(shell)
    for name in names:
        if name in values:
            for space in namespaces(shell):
                if space.get(name) is values[name]:
                    del space[name]
            forget(shell, {id(values[name])})
