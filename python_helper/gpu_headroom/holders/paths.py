"""Reference paths from a root to one object of the last account, as text.

An object that a name reaches is found again by the walk that named it; for others the gc lists the
referrers. No reference is kept afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import name_of
from ..text.messages import message
from .account import take
from .names import user_names

if TYPE_CHECKING:
    from ..concurrency.turns import Turn
    from ..protocol.generated.wire import Message
    from ..readings.snapshot import DeviceSnapshot
    from .place import Place

_MOST_WAYS = 3


@dataclass(frozen=True, slots=True)
class Ways:
    """Reference paths; `complete` is false if the search stopped early."""

    paths: list[list[Message]]
    complete: bool
    message: Message


def find(holder_id: str, shell: Any, snapshot: DeviceSnapshot | None, turn: Turn) -> Ways:
    """Return at most three ways to a row or a part of an account, the shortest first.

    Call between cells. May raise `ConcurrentUseError`.
    """
    account = take(shell, snapshot, turn)
    holder = account.find(holder_id)
    if holder is None:
        no_ways = Ways([], complete=True, message=message("path.gone"))
        return no_ways if account.complete else _stopped(turn)
    named = [way for way in holder.ways if way[0].root]
    if not named:
        is_garbage = holder.ways[0][0].origin == "garbage"
        if not is_garbage and not account.complete:
            return _stopped(turn)
        reason = "path.unreached" if is_garbage else "path.native"
        return Ways([], complete=True, message=message(reason))
    shortest = sorted(named, key=len)[:_MOST_WAYS]
    return _all([_in_words(way, shell) for way in shortest])


def _stopped(turn: Turn) -> Ways:
    reason = message("path.stopped")
    if turn.company.there:
        names = (*turn.company.inside, *turn.company.waiting)
        reason = message("path.beside", name=names[0])
    return Ways([], complete=False, message=reason)


def _all(paths: list[list[Message]]) -> Ways:
    count = len(paths)
    summary = message("path.found_one") if count == 1 else message("path.found", count=count)
    return Ways(paths, complete=True, message=summary)


def _in_words(way: tuple[Place, ...], shell: Any) -> list[Message]:
    messages = _root(way[0])
    value = user_names(shell).get(way[0].root) if len(way) > 1 else None
    if value is not None:
        messages.append(message("path.type", type_name=name_of(type(value))))
    steps = [place.via for place in way[1:] if place.via is not None]
    return messages + [step.edge.describe(step.name) for step in steps]


def _root(place: Place) -> list[Message]:
    if place.origin != "traceback":
        return [message("path.name", name=place.root)]
    if not place.row:
        return [message("path.failed", name=place.root)]
    return [message("path.failed_cell", name=place.root, cell=place.row)]
