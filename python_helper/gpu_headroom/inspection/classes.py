"""Classes, read past their metaclasses: these may override every attribute, `==` and `hash`.

Collections of classes are therefore keyed by `id`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .kinds import module_of, mro, top_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMPARISONS = "__eq__", "__hash__"
# Metaclasses that compare only names, modules and tuples of classes; PyTorch imports them all.
_HARMLESS = "sympy", "torch", "typing_extensions"
_NAMESPACE: Any = type.__dict__["__dict__"]


def comes_from(kind: type, *bases: type | None) -> bool:
    """Return whether `kind` is one of `bases` or inherits from one; `None` is no class."""
    return any(base is not None and type.__subclasscheck__(base, kind) for base in bases)


def namespace_of(kind: type) -> Mapping[str, Any]:
    """Return the names that the body of a class defines."""
    namespace: Mapping[str, Any] = _NAMESPACE.__get__(kind)
    return namespace


def defines(kind: type, name: str, *, until: type = object) -> bool:
    """Return whether `kind` or a class between it and `until` defines `name`."""
    for base in mro(kind):
        if base is until:
            return False
        if name in namespace_of(base):
            return True
    return False


def heirs(*bases: type | None) -> list[type]:
    """Return classes and their subclasses, each once; `None` is no class."""
    classes: dict[int, type] = {}
    waiting = [base for base in bases if base is not None]
    while waiting:
        kind = waiting.pop()
        if id(kind) not in classes:
            classes[id(kind)] = kind
            waiting += type.__subclasses__(kind)
    return list(classes.values())


def compare_plainly() -> bool:
    """Return whether no metaclass in this process overrides `==` or `hash`.

    Only then can classes be members of a set, which is twice as fast as using their `id`s.
    """
    return all(
        top_of(module_of(base)) in _HARMLESS or namespace_of(base).keys().isdisjoint(_COMPARISONS)
        for metaclass in heirs(type)
        for base in mro(metaclass)
        if base is not object
    )
