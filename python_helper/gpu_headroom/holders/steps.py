"""The steps of a way from a holder to what it holds. No code of a foreign object is run."""

from __future__ import annotations

import threading
import types
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..inspection.classes import namespace_of
from ..inspection.kinds import is_kind, name_of
from ..inspection.tables import items_of
from . import objects
from .containers import CLOSURE, DEFAULT, SELF, written
from .frames import FRAME
from .place import INDEX, KEY, Place, Step
from .suspended import LOCAL, SUSPENDED, code_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .names import Root

    Taken = tuple[Step, int]

_MOST = 100_000
_SHOWN = 80
_SEQUENCES = (list, tuple, deque)


def along(way: Sequence[Any], place: Place) -> Iterator[Root]:
    """Yield the objects of a way, each held by the one before it, with their places.

    What only Python needs in between (the `__dict__` of an object, the cells of a closure, the
    links of a traceback) is not worth a step of its own.
    """
    yield way[0], place
    position = 0
    while position < len(way) - 1:
        rest = way[position:]
        say = next((say for kind, say in _BY_KIND if issubclass(type(rest[0]), kind)), _in_object)
        step, taken = say(rest)
        position += taken
        place = place.step(*step, deeper=0)
        yield way[position], place


def keys_of(table: Any, held: Any) -> Iterator[Any]:
    """Yield the keys under which a dictionary holds an object."""
    items = islice(items_of(table), _MOST)
    return (key for key, value in items if value is held)


def _in_dict(way: Sequence[Any]) -> Taken:
    return Step(next(map(written, keys_of(way[0], way[1])), "…"), KEY), 1


def _in_sequence(way: Sequence[Any]) -> Taken:
    base: Any = next(sequence for sequence in _SEQUENCES if is_kind(way[0], sequence))
    members = enumerate(islice(list(base.__iter__(way[0])), _MOST))
    index = next((index for index, member in members if member is way[1]), None)
    return Step("…" if index is None else str(index), INDEX), 1


def _in_function(way: Sequence[Any]) -> Taken:
    function = way[0]
    for taken, step in enumerate(way[1:3], start=1):
        if step is function.__defaults__ or step is function.__kwdefaults__:
            return Step(edge=DEFAULT), taken
        names = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        name = next((name for name, cell in names if cell is step), None)
        if name is not None:
            return Step(name, CLOSURE), taken + 1
    return Step("__globals__" if way[1] is function.__globals__ else "__dict__"), 1


def _in_frame(way: Sequence[Any]) -> Taken:
    return Step(f"… in {way[0].f_code.co_name}", FRAME), 1


def _in_traceback(way: Sequence[Any]) -> Taken:
    """A traceback's links are one step, with the error that has them."""
    links = [taken for taken, step in enumerate(way) if is_kind(step, types.TracebackType)]
    if not links:
        return _in_object(way)
    return Step("__traceback__"), min(links[-1] + 1, len(way) - 1)


def _in_suspended(way: Sequence[Any]) -> Taken:
    code = code_of(way[0])
    return Step("" if code is None else code.co_name, LOCAL), 1


def _in_local(way: Sequence[Any]) -> Taken:
    """A thread-local keeps a dictionary for each thread, in one of its own."""
    taken = min(3, len(way) - 1)
    keys = keys_of(way[taken - 1], way[taken])
    return Step(next((key for key in keys if type(key) is str), "…")), taken


def _in_object(way: Sequence[Any]) -> Taken:
    """Return the step to an attribute, in a slot or `__dict__`; `<ClassName>` if in neither."""
    is_class = is_kind(way[0], type)
    own = (
        namespace_of(way[0])
        if is_class
        else objects.attributes(way[0], objects.layout_of(type(way[0])))
    )
    for name, value in islice(items_of(own), _MOST):
        for taken, step in enumerate(way[1:3], start=1):
            if value is step:
                return Step(name[:_SHOWN]), taken
    return Step(f"<{name_of(type(way[1]))}>"), 1


_BY_KIND: tuple[tuple[type, Callable[[Sequence[Any]], Taken]], ...] = (
    (types.FunctionType, _in_function),
    (types.MethodType, lambda _: (Step(edge=SELF), 1)),
    (types.FrameType, _in_frame),
    *((kind, _in_traceback) for kind in (BaseException, types.TracebackType)),
    *((kind, _in_suspended) for kind in SUSPENDED),
    (dict, _in_dict),
    *((kind, _in_sequence) for kind in _SEQUENCES),
    (threading.local, _in_local),
)
