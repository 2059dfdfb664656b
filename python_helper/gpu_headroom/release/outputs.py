"""Displayed values on the GPU that no name of the user's holds."""

from __future__ import annotations

import re
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from ..cells.runs import output_id
from ..holders.names import LAST
from ..inspection.tables import items_of
from ..text.messages import message
from .freeable import Freeable
from .memory import Storages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..protocol.generated.wire import Message
    from .situation import Situation

_MOST_ROWS = 20
_NUMBERED = re.compile(r"_\d+")


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield a row for each displayed value; those that share their memory have one together.

    The smallest of many have one row for all of them, unless one is asked for.
    """
    if not situation.sees:
        return
    shell = situation.shell
    displayed = _displayed(shell)
    names = {name for names in displayed.values() for name in names}
    values = {id(value): value for value in _values(shell, names)}
    groups = situation.heap.retained_together(values.values(), names)
    largest = nlargest(
        _MOST_ROWS, range(len(groups)), key=lambda most_row: groups[most_row][1].bytes
    )
    more: list[str] = []
    count, sizes = 0, Storages()
    for number, (ids, gives) in enumerate(groups):
        group = tuple([name for key in ids for name in displayed[key]])
        if number in largest or _id(group) in situation.wanted:
            shown = [f"Out[{name[1:]}]" for name in group if _NUMBERED.fullmatch(name)]
            title = message("item.output", names=", ".join(shown or group[:1]))
            plain = all(_is_plain(situation, values[key]) for key in ids)
            yield _item(shell, _id(group), title, group, gives, displayed=group if plain else ())
        else:
            more += group
            count += 1
            sizes |= gives
    if more:
        title = message("item.output.more", count=count)
        yield _item(shell, "output:more", title, tuple(more), sizes)


def _item(  # noqa: PLR0913 — all that tells a row from another
    shell: Any,
    item_id: str,
    title: Message,
    names: tuple[str, ...],
    gives: Storages,
    *,
    displayed: tuple[str, ...] = (),
) -> Freeable:
    return Freeable(
        id=item_id,
        kind="outputs",
        title=title,
        cost=message("item.outputs.cost"),
        gives=gives,
        free=lambda: forget(shell, set(map(id, _values(shell, names)))),
        displayed=displayed,
    )


def _id(names: tuple[str, ...]) -> str:
    return output_id(names[0].strip("_") or names[0])


def _is_plain(situation: Situation, value: Any) -> bool:
    """Whether code can tell that a value is on a GPU: an array, or a list or tuple of some."""
    members = value if type(value) in (list, tuple) else [value]
    return any(map(situation.inspector.is_array, members))


def displayed_as(shell: Any, value: object) -> tuple[str, ...]:
    """Return the names under which IPython keeps a value that was displayed."""
    return tuple(_displayed(shell).get(id(value), ()))


def _displayed(shell: Any) -> dict[int, list[str]]:
    """Return the names of the output history, `_5` before `_`, by the id of their value.

    What the user has given a value of their own is not among them: IPython keeps its own
    values in `user_ns_hidden`, too.
    """
    names: dict[int, list[str]] = {}
    for name, value in _named(shell):
        if name not in names.setdefault(id(value), []):
            names[id(value)].append(name)
    return names


def _named(shell: Any) -> Iterator[tuple[str, Any]]:
    for count, value in items_of(shell.history_manager.output_hist):
        yield f"_{count}", value
    hidden = items_of(shell.user_ns_hidden)
    yield from (pair for pair in hidden if _NUMBERED.fullmatch(pair[0]))
    result = getattr(getattr(shell, "last_execution_result", None), "result", None)
    last = [(name, getattr(shell.displayhook, name, None)) for name in LAST]
    last += [(name, value) for name, value in hidden if name in LAST]
    yield from (pair for pair in (*last, ("_", result)) if pair[1] is not None)


def _values(shell: Any, names: Iterable[str]) -> list[Any]:
    wanted = set(names)
    values = {id(value): value for name, value in _named(shell) if name in wanted}
    return list(values.values())


def forget(shell: Any, going: set[int]) -> None:
    """Take the values of these ids out of the history. `Out`, `_` and `_n` go on working.

    IPython keeps each in several places; `_` must change in all of them together, or IPython
    takes it for the user's own and stops updating it.
    """
    history = shell.history_manager.output_hist
    for count in [count for count, value in items_of(history) if id(value) in going]:
        del history[count]
    for space in (shell.user_ns, shell.user_ns_hidden):
        for name in [name for name in list(space) if _NUMBERED.fullmatch(name)]:
            if id(space[name]) in going:
                del space[name]
        for name in LAST:
            if id(space.get(name)) in going:
                space[name] = None
    for name in LAST:
        if id(getattr(shell.displayhook, name, None)) in going:
            setattr(shell.displayhook, name, None)
    result = getattr(shell, "last_execution_result", None)
    if result is not None and id(result.result) in going:
        result.result = None
