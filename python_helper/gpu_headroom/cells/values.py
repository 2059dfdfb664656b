"""Current value at a place such as `config.train["batch_size"]`, read without running user code."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ..inspection.classes import namespace_of
from ..inspection.kinds import is_kind, mro

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)


def value_at(values: Mapping[str, Any], path: Sequence[str]) -> Any:
    """Return the value at a path that starts at a variable; `None` where it cannot be read."""
    item: Any = None
    for n, name in enumerate(path):
        # The keys of a user's dict may be objects that compare with code of their own.
        named = (value for key, value in entries(item).items() if type(key) is str and key == name)
        item = next(named, None) if n else values.get(name)
    return item


def entries(value: Any) -> Mapping[Any, Any]:
    """Return a copy of a dict, or of the attributes in an object's `__dict__`."""
    if type(value) is dict:
        return dict(value)
    if is_kind(value, type):
        return dict(namespace_of(value))
    for base in mro(type(value)):
        own = namespace_of(base).get("__dict__")
        if own is not None:
            table = own.__get__(value) if type(own) in _DESCRIPTORS else None
            return dict(table) if type(table) is dict else {}
    return {}
