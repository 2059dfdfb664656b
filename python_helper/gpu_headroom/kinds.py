"""What a foreign object is, without asking it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing import TypeGuard

Kind = TypeVar("Kind")

_NAME = type.__dict__["__name__"]


def is_kind(value: object, kind: type[Kind]) -> TypeGuard[Kind]:
    """Return whether the type of `value` is `kind` or comes from it.

    `isinstance` would also ask the object for its `__class__`, which may be a property: a
    lazy proxy would wake up.
    """
    return issubclass(type(value), kind)


def name_of(kind: type) -> str:
    """Return the name of a class, without asking its metaclass."""
    name: str = _NAME.__get__(kind)
    return name
