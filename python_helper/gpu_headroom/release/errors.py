"""Errors that objects retain, such as lists, Futures, tasks and logs, with their frames' locals.

The errors stay. Their tracebacks are removed, and frames that have ended are cleared: the traceback
that a task itself retains cannot be removed.
"""

from __future__ import annotations

import gc
import inspect
import sys
import types
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors.recognise import errors_within
from ..holders.frames import frames_of, last_errors, last_tracebacks, tracebacks_of
from ..holders.names import name_roots, output_roots
from ..holders.walk import Walk
from ..inspection.kinds import is_kind, name_of
from ..text.format import MIB
from ..text.messages import message
from .freeable import Freeable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType, TracebackType

    from ..protocol.generated.wire import Message
    from .memory import Storages
    from .situation import Situation

    Kept = BaseException | TracebackType

_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_NOT_CLEARED = (types.FrameType, types.FunctionType)  # the caller, and the function itself


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield an item for each variable that leads to errors, then one for each class of the others.

    Errors that only Python and IPython store after failed cells are an item of their own.
    """
    stored = _stored(situation)
    if not stored or not _matters(_given(situation, stored)):
        return
    named, unnamed = _sorted(situation, stored)
    for name, values in named.items():
        count = sum(is_kind(value, BaseException) for value in values)
        title = message("item.error", count=max(count, 1), name=name)
        yield from _item(situation, name, values, title)
    for kind, values in unnamed.items():
        title = message("item.error.unnamed", count=len(values), type_name=kind)
        yield from _item(situation, f"class {kind}", values, title)


def _item(situation: Situation, name: str, kept: list[Kept], title: Message) -> Iterator[Freeable]:
    given = _given(situation, kept)
    if _matters(given):
        frames = len(_frames(kept))
        yield Freeable(
            id=f"error:{name}",
            kind="error",
            name=name if name.isidentifier() else None,
            title=title,
            cost=message("item.error.cost", frames=frames),
            gives=given,
            free=partial(_free, kept),
            confirm=message("confirm.error", frames=frames),
        )


def _stored(situation: Situation) -> list[Kept]:
    """Return errors with a traceback, and tracebacks without an error, that objects retain."""
    candidates, shell = situation.candidates.errors, situation.shell
    errors = [value for value in candidates if is_kind(value, BaseException)]
    goes = situation.heap.goes_with_remembered
    ours = {id(error) for error in last_errors(shell) if goes(error)}
    handled = sys.exc_info()[1]
    ours |= {id(error) for error in errors_within(handled)} if handled is not None else set()
    heads: list[Kept] = [*errors, *last_tracebacks(shell)]
    linked = {id(step) for value in heads for step in _steps(value)}
    linked |= {id(value.tb_next) for value in candidates if type(value) is types.TracebackType}
    return [
        *(error for error in errors if id(error) not in ours and error.__traceback__ is not None),
        *(
            value
            for value in candidates
            if type(value) is types.TracebackType and id(value) not in linked
        ),
    ]


def _sorted(
    situation: Situation, stored: list[Kept]
) -> tuple[dict[str, list[Kept]], dict[str, list[Kept]]]:
    """Return what variables and outputs lead to by their names, and the rest by its class."""
    wanted = {id(value) for value in stored}
    roots = [*name_roots(situation.shell), *output_roots(situation.shell)]
    walk = Walk(situation.inspector, into_graphs=False)
    walk.run(situation.heap.roots_leading(roots, to=wanted))
    named: dict[str, list[Kept]] = {}
    led_to: set[int] = set()
    for error, place in walk.errors:
        within = list(errors_within(error)) if is_kind(error, BaseException) else [error]
        if not wanted.isdisjoint(map(id, within)) or type(error) is types.TracebackType:
            led_to.update(map(id, within))
            named.setdefault(place.root, []).append(error)
    unnamed: dict[str, list[Kept]] = {}
    for error in stored:
        if id(error) not in led_to:
            unnamed.setdefault(name_of(type(error)), []).append(error)
    return named, unnamed


def _steps(kept: Kept) -> Iterator[TracebackType]:
    step = kept.__traceback__ if is_kind(kept, BaseException) else kept
    while type(step) is types.TracebackType:
        yield step
        step = step.tb_next


def _frames(kept: Iterable[Kept]) -> list[FrameType]:
    """Return the frames of functions that tracebacks lead to."""
    return list(frames_of(step for value in kept for step in tracebacks_of(value)))


def _matters(given: Storages | None) -> bool:
    """Whether it is worth an item; what is not known may be."""
    return given is None or given.bytes >= MIB


def _given(situation: Situation, kept: list[Kept]) -> Storages | None:
    """Return the memory freed by removing the errors' tracebacks and clearing their frames."""
    heap, frames = situation.heap, _frames(kept)
    errors = [error for one in kept if is_kind(one, BaseException) for error in errors_within(one)]
    values: list[Any] = [step for value in kept for step in tracebacks_of(value)]
    values += [
        referent
        for frame in filter(_has_ended, frames)
        for referent in gc.get_referents(frame)
        if type(referent) not in _NOT_CLEARED
        and referent is not frame.f_globals
        and heap.knows(referent)
    ]
    return heap.retained(values, [*errors, *frames])


def _free(kept: list[Kept]) -> None:
    for frame in _frames(kept):
        _clear(frame)
    for one in kept:
        if type(one) is types.TracebackType:
            one.tb_next = None
        elif is_kind(one, BaseException):
            for error in errors_within(one):
                # Also of a class that forbids assignment.
                BaseException.__setattr__(error, "__traceback__", None)


def _clear(frame: FrameType) -> None:
    """Empty a frame that has ended; clearing one of a generator that may go on would end that.

    Up to Python 3.12 `clear` leaves behind the copy of the variables that a formatter made by
    reading `f_locals`; reading it once more empties that, too.
    """
    if _has_ended(frame):
        try:
            frame.clear()
        except RuntimeError:  # still running
            return
        frame.f_locals  # noqa: B018 — the read is the point


def _has_ended(frame: FrameType) -> bool:
    """Whether a frame is known to have ended: from then on it refers to its own code.

    While it runs, or belongs to a generator that may go on, its variables are not its own and the
    gc does not find its code through it (`frame_traverse` of Python 3.11 to 3.13). Before that
    the code always is; there a generator's frame is never taken to have ended.
    """
    code = frame.f_code
    if sys.version_info < (3, 11):
        return not code.co_flags & _SUSPENDS
    return any(referent is code for referent in gc.get_referents(frame))
