"""Containers of Python itself, and the functions that close over values."""

from __future__ import annotations

import functools
import gc
import types
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..kinds import is_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .walk import Place, Walk

    Visit = Callable[[Walk, Any, Place], None]

_MOST = 100_000
_SAMPLE = 100
_SCALARS = frozenset({int, float, str, bytes, bool, complex, type(None)})
_SEQUENCES = (list, tuple, deque, set, frozenset)


def visit_of(kind: type) -> Visit | None:
    """Return how a container is looked into, if `kind` is one."""
    mro = kind.__mro__
    if dict in mro:
        return _visit_dict
    base = next((each for each in _SEQUENCES if each in mro), None)
    if base is not None:
        return functools.partial(_visit_sequence, base)
    return _OTHERS.get(kind)


def length(value: object) -> int:
    """Return how many members a container has; 0 for anything else."""
    for base in (dict, *_SEQUENCES):
        if base in type(value).__mro__:
            return int(base.__len__(value))  # type: ignore[arg-type]  # it is one
    return 0


def _visit_dict(walk: Walk, table: Any, place: Place) -> None:
    for key, value in list(islice(dict.items(table), _MOST)):
        if _may_hold(walk, value):
            walk.push(value, place.step(f"[{_key(key)}]"))
    _visit_beside(walk, table, place)


def _visit_sequence(base: Any, walk: Walk, values: Any, place: Place) -> None:
    members: Iterator[Any] = base.__iter__(values)
    for index, value in enumerate(list(islice(members, _MOST))):
        if _may_hold(walk, value):
            walk.push(value, place.step(f"[{index}]"))
    _visit_beside(walk, values, place)


def _may_hold(walk: Walk, value: Any) -> bool:
    """Sort out most of a data set cheaply: numbers, text, and short lists of these."""
    kind = type(value)
    if kind in _SCALARS or walk.visit_of(kind) is None:
        return False
    if kind is list or kind is tuple:
        return any(type(each) not in _SCALARS for each in value[:_SAMPLE])
    return True


def _visit_beside(walk: Walk, value: Any, place: Place) -> None:
    """A subclass of a container may keep more in attributes."""
    if type(value) not in (dict, *_SEQUENCES):
        from . import objects

        objects.visit(walk, value, place)


def _visit_function(walk: Walk, function: Any, place: Place) -> None:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            walk.push(cell.cell_contents, place.step(f" closes over {name}"))
        except ValueError:
            continue  # not assigned yet
    walk.push(function.__defaults__, place.step("'s defaults"))
    walk.push(function.__kwdefaults__, place.step("'s defaults"))


def _visit_method(walk: Walk, method: Any, place: Place) -> None:
    walk.push(method.__self__, place)


def _visit_partial(walk: Walk, partial: Any, place: Place) -> None:
    for part in (partial.func, partial.args, partial.keywords):
        walk.push(part, place)


def _visit_suspended(walk: Walk, suspended: Any, place: Place) -> None:
    """Reading `f_locals` of a frame that goes on would leave a copy that keeps old values alive."""
    for value in gc.get_referents(suspended):
        if is_kind(value, types.FrameType):  # Python 3.10
            _visit_suspended(walk, value, place)
        else:
            walk.push(value, place.step("'s locals"))


def _key(key: object) -> str:
    return repr(key) if type(key) in (str, int, bool) else "…"


_OTHERS: dict[type, Visit] = {
    types.FunctionType: _visit_function,
    types.MethodType: _visit_method,
    functools.partial: _visit_partial,
    types.GeneratorType: _visit_suspended,
    types.CoroutineType: _visit_suspended,
    types.AsyncGeneratorType: _visit_suspended,
}
