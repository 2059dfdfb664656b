"""Classes, read past their metaclasses: these may override every attribute, `==` and `hash`.

Collections of classes are therefore keyed by `id`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_MRO: Any = type.__dict__["__mro__"]
_MODULE: Any = type.__dict__["__module__"]
_NAMESPACE: Any = type.__dict__["__dict__"]


def mro(kind: type) -> tuple[type, ...]:
    """Return the classes that `kind` inherits from, itself first."""
    found: tuple[type, ...] = _MRO.__get__(kind)
    return found


def comes_from(kind: type, *bases: type | None) -> bool:
    """Return whether `kind` is one of `bases` or inherits from one; `None` is no class."""
    return any(base is not None and type.__subclasscheck__(base, kind) for base in bases)


def module_of(kind: type) -> str:
    """Return the module that a class says it is from."""
    module = _MODULE.__get__(kind)
    return module if type(module) is str else ""


def namespace_of(kind: type) -> Mapping[str, Any]:
    """Return what stands in the body of a class."""
    found: Mapping[str, Any] = _NAMESPACE.__get__(kind)
    return found


def defines(kind: type, name: str, *, until: type = object) -> bool:
    """Return whether `kind` or a class between it and `until` defines `name`."""
    for each in mro(kind):
        if each is until:
            return False
        if name in namespace_of(each):
            return True
    return False


def heirs(base: type | None) -> dict[int, type]:
    """Return a class and all that inherit from it, by their `id`."""
    found: dict[int, type] = {}
    waiting = [base] if base is not None else []
    while waiting:
        kind = waiting.pop()
        if id(kind) not in found:
            found[id(kind)] = kind
            waiting += type.__subclasses__(kind)
    return found


def compare_plainly() -> bool:
    """Return whether no metaclass of this process has code of its own behind `==` and `hash`.

    Only then may classes themselves be members of a set, which is twice as fast as their `id`s.
    """
    return not any(
        defines(each, name, until=type)
        for each in heirs(type).values()
        for name in ("__eq__", "__hash__")
    )
