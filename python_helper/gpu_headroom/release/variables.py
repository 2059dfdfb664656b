"""Variables of the notebook that keep GPU memory: deleting one is the user's to confirm.

What a loop left behind is one of them with a lower price: its last item, and what only its body
uses.
"""

from __future__ import annotations

import types
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from ..format import MIB
from ..holders.classes import comes_from
from ..holders.names import user_names
from ..holders.sharing import Sharing
from ..messages import message
from .freeable import Freeable
from .loops import left_behind
from .outputs import forget

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from ..wire import Message
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
    sizes = _sizes(situation, values)
    left = left_behind((each.source for each in situation.cells), sizes)
    found: dict[int, tuple[str, ...]] = {}
    for name, _ in sizes.most_common(_MOST):
        value = values[name]
        names = tuple(each for each, other in values.items() if other is value)
        found.setdefault(id(value), names)
    for names in sorted(found.values(), key=left.issuperset):
        kind: Kind = "leftover" if left.issuperset(names) else "variable"
        yield _deletion(situation, kind, names, sizes)


def _sizes(situation: Situation, values: dict[str, Any]) -> Counter[str]:
    """Return what variables keep, those that share it included; never one that is code.

    What an error remembers is an item of its own.
    """
    sizes: Counter[str] = Counter()
    if situation.found is None:
        return sizes
    ledger = situation.found.ledger
    for held in ledger:
        if held.origin == "names" and not held.in_frame:
            sizes[held.root] += held.storage.bytes
    sharing = Sharing(ledger)
    for name, size in list(sizes.items()):
        for other in sharing.names(("names", name)):
            sizes[other] = max(sizes[other], size if size >= MIB else 0)
    for name in list(sizes):
        if sizes[name] < MIB or name not in values or comes_from(type(values[name]), *_CODE):
            del sizes[name]
    return sizes


def _deletion(
    situation: Situation,
    kind: Kind,
    names: tuple[str, ...],
    sizes: Counter[str],
) -> Freeable:
    shell = situation.shell
    value = shell.user_ns[names[0]]
    given = situation.reachable.exclusive([value])
    others: list[str] = []
    if given is not None and given < sizes[names[0]]:
        others = [each for each in situation.reachable.held_by([value]) if each not in names]
    shown: dict[str, Any] = {"names": ", ".join(names)}
    confirm = "confirm.delete_unmeasured" if given is None else "confirm.delete"
    for_good = given == 0 and others and not any(each in sizes for each in others)
    return Freeable(
        id=f"{kind}:{names[0]}",
        kind=kind,
        title=message(_TITLES[kind][len(names) > 1], **shown),
        cost=_cost(kind, given, others),
        expected_bytes=given,
        free=partial(_delete, shell, names),
        names=names,
        confirm=message(confirm, **shown, **({} if given is None else {"freed_bytes": given})),
        blocked=message("item.variable.blocked", name=others[0]) if for_good else None,
        code=_code(shell, names),
    )


def _cost(kind: str, given: int | None, others: list[str]) -> Message:
    if others:
        return message("item.variable.shared", name=others[0])
    if given == 0:
        return message("item.variable.held")
    return message("item.variable.cost" if kind == "variable" else "item.leftover.cost")


def _delete(shell: Any, names: tuple[str, ...]) -> None:
    values = user_names(shell)
    for name in names:
        if name in values:
            del shell.user_ns[name]
            forget(shell, {id(values[name])})


def _code(shell: Any, names: tuple[str, ...]) -> str:
    """`del_var` of IPython deletes by identity: all names of an object, and `Out` and `_`."""
    value = shell.user_ns[names[0]]
    displayed = any(each is value for each in shell.history_manager.output_hist.values())
    if displayed:
        return f'get_ipython().del_var("{names[0]}")\n'
    return f"del {', '.join(names)}\n"
