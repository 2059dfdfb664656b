"""Ways from a holder to what it holds, in words. No code of a foreign object is run."""

from __future__ import annotations

import types
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..inspection.kinds import is_kind, name_of
from ..inspection.tables import items_of
from ..text.messages import message
from . import objects
from .suspended import SUSPENDED, code_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..protocol.wire import Message

    Said = tuple[list[Message], int]

_MOST = 100_000
_SHOWN = 80
_SIMPLE = (str, int, bool, float)
_SEQUENCES = (list, tuple, deque)


def steps(way: Sequence[Any]) -> list[Message]:
    """Put a chain of objects, each held by the one before it, into words.

    What only Python needs in between (the `__dict__` of an object, the cells of a closure, the
    links of a traceback) is not worth a step of its own.
    """
    said: list[Message] = []
    position = 0
    while position < len(way) - 1:
        words, taken = _step(way[position:])
        said += words
        position += taken
    return said


def keys_of(table: Any, held: Any) -> Iterator[Any]:
    """Yield the keys under which a dictionary holds an object."""
    items = islice(items_of(table), _MOST)
    return (key for key, value in items if value is held)


def key_step(key: Any) -> Message:
    """Say a key, as far as it can be said without asking it."""
    if type(key) in _SIMPLE:
        return message("path.key", name=repr(key)[:_SHOWN])
    return message("path.key_unnamed", type_name=name_of(type(key)))


def _step(way: Sequence[Any]) -> Said:
    """Return the words for the beginning of a way, and how many objects further they lead."""
    holder = type(way[0])
    say = next((say for kind, say in _BY_KIND if issubclass(holder, kind)), _in_object)
    return say(way)


def _typed(holder: Any, *more: Message) -> list[Message]:
    """Say an object as a person calls it: a function or a class by name, others by class."""
    called = name_of(type(holder))
    if is_kind(holder, types.FunctionType):
        called = f"{holder.__name__}()"
    elif is_kind(holder, type):
        called = f"class {name_of(holder)}"
    return [message("path.type", type_name=called), *more]


def _in_dict(way: Sequence[Any]) -> Said:
    keys = islice(keys_of(way[0], way[1]), 1)
    return _typed(way[0], *map(key_step, keys)), 1


def _in_sequence(way: Sequence[Any]) -> Said:
    base: Any = next(sequence for sequence in _SEQUENCES if is_kind(way[0], sequence))
    members = enumerate(islice(list(base.__iter__(way[0])), _MOST))
    index = next((index for index, each in members if each is way[1]), None)
    return _typed(way[0], *([] if index is None else [message("path.index", name=str(index))])), 1


def _in_function(way: Sequence[Any]) -> Said:
    function = way[0]
    for taken, each in enumerate(way[1:3], start=1):
        if each is function.__defaults__ or each is function.__kwdefaults__:
            return _typed(function, message("path.default")), 2
        names = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        name = next((name for name, cell in names if cell is each), None)
        if name is not None:
            return _typed(function, message("path.closure", name=name)), taken + 1
    return _typed(function), 1


def _in_frame(way: Sequence[Any]) -> Said:
    return [message("path.variables", name=way[0].f_code.co_name)], 1


def _in_traceback(way: Sequence[Any]) -> Said:
    links = (taken for taken, each in enumerate(way) if not is_kind(each, types.TracebackType))
    return [message("path.traceback")], min(next(links, len(way)), len(way) - 1)


def _in_suspended(way: Sequence[Any]) -> Said:
    code = code_of(way[0])
    return [message("path.local", name="" if code is None else code.co_name)], 1


def _in_object(way: Sequence[Any]) -> Said:
    """An attribute, whether it stands in a slot, in the `__dict__`, or in neither visibly."""
    attributes = objects.attributes(way[0], objects.layout_of(type(way[0])))
    for name, value in islice(attributes.items(), _MOST):
        for taken, each in enumerate(way[1:3], start=1):
            if value is each:
                return _typed(way[0], message("path.attribute", name=name[:_SHOWN])), taken
    return _typed(way[0]), 1


_BY_KIND: tuple[tuple[type, Callable[[Sequence[Any]], Said]], ...] = (
    (types.FunctionType, _in_function),
    (types.FrameType, _in_frame),
    (types.TracebackType, _in_traceback),
    *((kind, _in_suspended) for kind in SUSPENDED),
    (dict, _in_dict),
    *((kind, _in_sequence) for kind in _SEQUENCES),
)
