"""Any other object: what stands in its `__dict__` and its slots."""

from __future__ import annotations

import types
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .walk import Place, Walk

    Layout = tuple[Any, tuple[tuple[str, Any], ...]]
    Visit = Callable[[Walk, Any, Place], None]

_MOST = 2_000
_OPAQUE = frozenset({"builtins", "_thread", "weakref", "abc", "re", "typing", "numpy"})
_NOT_HOLDERS = (type, types.ModuleType, types.FrameType, types.TracebackType, BaseException)


def visit_of(kind: type) -> Visit | None:
    """Return how objects of a class are looked into, `None` where they hold nothing of interest."""
    if kind.__module__ in _OPAQUE or any(each in _NOT_HOLDERS for each in kind.__mro__):
        return None
    return visit


def visit(walk: Walk, value: Any, place: Place) -> None:
    """Have the attributes of an object visited."""
    for name, attribute in islice(attributes(walk, value).items(), _MOST):
        walk.push(attribute, place.step(f".{name}"))


def attributes(walk: Walk, value: Any) -> dict[str, Any]:
    """Return what an object keeps, read from C-level descriptors: no code of its class is run."""
    kind = type(value)
    if kind not in walk.layouts:
        walk.layouts[kind] = _layout(kind)
    holds_dict, slots = walk.layouts[kind]
    found: dict[str, Any] = {}
    for name, slot in slots:
        try:
            found[name] = slot.__get__(value)
        except AttributeError:
            continue  # not assigned
    if holds_dict is not None:
        table = holds_dict.__get__(value)
        if isinstance(table, dict):
            found.update(table)
    return found


def _layout(kind: type) -> Layout:
    """Return the descriptor of `__dict__` if it is Python's own, and those of the slots."""
    holds_dict = None
    slots: list[tuple[str, Any]] = []
    for each in kind.__mro__:
        for name, member in vars(each).items():
            if name == "__dict__":
                holds_dict = holds_dict or member
            elif type(member) is types.MemberDescriptorType and each.__module__ not in _OPAQUE:
                slots.append((name, member))
    if type(holds_dict) not in (types.GetSetDescriptorType, types.MemberDescriptorType):
        holds_dict = None  # a proxy that answers for another object
    return holds_dict, tuple(slots)
