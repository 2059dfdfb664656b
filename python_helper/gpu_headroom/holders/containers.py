"""Containers of Python itself, and the functions that close over values."""

from __future__ import annotations

import functools
import gc
import types
from collections import deque
from typing import TYPE_CHECKING, Any

from ..inspection.classes import comes_from, defines
from ..inspection.kinds import module_of
from . import objects
from .place import INDEX, KEY, Edge

if TYPE_CHECKING:
    from .place import Place
    from .visit import Visit, Walked

MEMBER = Edge("member", "a member", "{{…}}", "member")
CLOSURE = Edge("closure", "closure variable `{name}`", " closes over {}")
DEFAULT = Edge("default", "a default argument", "'s defaults")
SELF = Edge("self", "the object of a method", ".__self__")
PARTIAL = Edge("partial", "an argument of a `partial`", "'s arguments")
CACHE = Edge("cache", "what `lru_cache` keeps", "'s cache")
ITERATOR = Edge("iterator", "what an iterator goes through", "'s members", "member")
_LONGEST_KEY = 40
_ITERATING = ("builtins", "itertools", "collections", "_collections")


def visit_of(kind: type) -> Visit | None:
    """Return how a container is looked into, if `kind` is one."""
    if comes_from(kind, dict):
        return _visit_dict
    for base, visit in _SEQUENCES.items():
        if comes_from(kind, base):
            return visit
    for other, visit in _OTHERS.items():
        if other is kind:
            return visit
    iterates = module_of(kind) in _ITERATING and defines(kind, "__next__")
    # Of executors, by way of a queue of C's.
    return _visit_iterator if iterates or module_of(kind) == "_queue" else None


def _visit_dict(walk: Walked, table: Any, place: Place) -> None:
    if walk.put_off(table, dict.__len__(table), place):
        return
    keys, values = list(dict.keys(table)), list(dict.values(table))
    for index, value in walk.worthwhile(values):
        key = keys[index] if index < len(keys) else None  # another thread has added it since
        walk.push(value, place.step(written(key), KEY))
    for _, key in walk.worthwhile(keys):
        walk.push(key, place.step(edge=MEMBER))
    if type(table) is not dict:
        objects.visit(walk, table, place)  # a subclass may keep more in attributes


def _visit_sequence(base: Any, edge: Edge, walk: Walked, values: Any, place: Place) -> None:
    if walk.put_off(values, base.__len__(values), place):
        return
    for index, value in walk.worthwhile(list(base.__iter__(values))):
        walk.push(value, place.step(str(index), edge))
    if type(values) is not base:
        objects.visit(walk, values, place)


def _visit_function(walk: Walked, function: Any, place: Place) -> None:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            walk.push(cell.cell_contents, place.step(name, CLOSURE))
        except ValueError:
            continue  # not assigned yet
    defaults = function.__kwdefaults__
    walk.push(function.__defaults__, place.step(edge=DEFAULT))
    walk.push(defaults, place.step(edge=DEFAULT))
    # Reading `__dict__` of a function that has none would give it one.
    # The builtins are everybody's: in a kernel their `input` leads to the shell, and so to all.
    namespaces = (function.__globals__, function.__builtins__, defaults)
    for referent in gc.get_referents(function):
        if type(referent) is dict and not any(referent is one for one in namespaces):
            walk.push(referent, place)


def _visit_parts(
    names: tuple[str, ...], edge: Edge, walk: Walked, value: Any, place: Place
) -> None:
    for name in names:
        walk.push(getattr(value, name), place.step(edge=edge))


def _visit_iterator(walk: Walked, iterator: Any, place: Place) -> None:
    for value in gc.get_referents(iterator):
        walk.push(value, place.step(edge=ITERATOR))


def _visit_cached(walk: Walked, cached: Any, place: Place) -> None:
    """A bounded `lru_cache` keeps its results in links of its own, which are gone through in C."""
    for value in gc.get_referents(cached):
        kind = type(value)
        if module_of(kind) == "functools" and kind is not type(cached):
            _visit_cached(walk, value, place)
        elif type(value) is not types.FunctionType:
            walk.push(value, place.step(edge=CACHE))


def written(key: object) -> str:
    """Return a key as it is in code, or `…` where that would need a call of the key's methods."""
    kind = type(key)
    if kind is int or kind is bool:
        return repr(key)
    if kind is str:
        text = repr(key)
        return text if len(text) <= _LONGEST_KEY else f"{text[:_LONGEST_KEY]}…'"
    return "…"


_SEQUENCES: dict[Any, Visit] = {
    list: functools.partial(_visit_sequence, list, INDEX),
    tuple: functools.partial(_visit_sequence, tuple, INDEX),
    deque: functools.partial(_visit_sequence, deque, INDEX),
    set: functools.partial(_visit_sequence, set, MEMBER),
    frozenset: functools.partial(_visit_sequence, frozenset, MEMBER),
}
PLAIN = frozenset({_visit_dict, *_SEQUENCES.values()})
"""Visits of containers whose members `gc.get_referents` returns as well."""
_OTHERS: dict[Any, Visit] = {
    types.FunctionType: _visit_function,
    types.MethodType: functools.partial(_visit_parts, ("__self__",), SELF),
    types.BuiltinMethodType: functools.partial(_visit_parts, ("__self__",), SELF),
    functools.partial: functools.partial(_visit_parts, ("func", "args", "keywords"), PARTIAL),
    type(functools.lru_cache(len)): _visit_cached,
}
