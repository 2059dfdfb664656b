"""Any other object: what stands in its `__dict__` and its slots."""

from __future__ import annotations

import gc
import types
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..inspection.classes import comes_from, module_of, mro, namespace_of
from ..inspection.kinds import is_kind, name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .place import Place
    from .walk import Walk

    Layout = tuple[Any, tuple[tuple[str, Any], ...]]
    Visit = Callable[[Walk, Any, Place], None]

_MOST = 2_000
_OPAQUE = frozenset({"builtins", "_thread", "weakref", "abc", "re", "typing", "numpy"})
# Ours, and the shell and the kernel: these hold all of the user's names, and would be one more
# name of everything.
_MACHINERY = frozenset({"gpu_headroom", "ipykernel"})
_SHELL = "IPython.core.interactiveshell", "InteractiveShell"
_NOT_HOLDERS = (types.ModuleType, types.FrameType, types.CodeType)
_OWN_CLASSES = "__main__"  # a class of a notebook


def visit_of(kind: type) -> Visit | None:
    """Return how objects of a class are looked into, `None` where they hold nothing of interest."""
    if comes_from(kind, type):
        return visit_class
    if module_of(kind) in _OPAQUE or comes_from(kind, *_NOT_HOLDERS) or is_machinery(kind):
        return None
    return visit


def is_machinery(kind: type) -> bool:
    """Whether objects of a class are ours, or the shell or the kernel."""
    if module_of(kind).partition(".")[0] in _MACHINERY:
        return True
    return any((module_of(each), name_of(each)) == _SHELL for each in mro(kind))


def visit(walk: Walk, value: Any, place: Place) -> None:
    """Have the attributes of an object visited.

    Reading `__dict__` makes one for each object that has none yet: only where it pays.
    """
    visits = (walk.visit_of(type(each)) for each in gc.get_referents(value))
    if all(each is None or each is visit_class for each in visits):
        return
    for name, attribute in islice(attributes(walk, value).items(), _MOST):
        walk.push(attribute, place.step("attribute", name))


def attributes(walk: Walk, value: Any) -> dict[str, Any]:
    """Return what an object keeps, read from C-level descriptors: no code of its class is run."""
    kind = type(value)
    if id(kind) not in walk.layouts:
        walk.layouts[id(kind)] = _layout(kind)
    holds_dict, slots = walk.layouts[id(kind)]
    found: dict[str, Any] = {}
    for name, slot in slots:
        try:
            found[name] = slot.__get__(value)
        except AttributeError:
            continue  # not assigned
    if holds_dict is not None:
        table = holds_dict.__get__(value)
        if is_kind(table, dict):
            found.update((key, each) for key, each in dict.items(table) if type(key) is str)
    return found


def visit_class(walk: Walk, kind: Any, place: Place) -> None:
    """What a class of the notebook keeps in its body, such as a cache."""
    if module_of(kind) == _OWN_CLASSES:
        for name, value in list(namespace_of(kind).items()):
            if not comes_from(type(value), types.FunctionType, types.GetSetDescriptorType):
                walk.push(value, place.step("attribute", name))


def _layout(kind: type) -> Layout:
    """Return the descriptor of `__dict__` if it is Python's own, and those of the slots."""
    holds_dict = None
    slots: list[tuple[str, Any]] = []
    for each in mro(kind):
        for name, member in namespace_of(each).items():
            if name == "__dict__":
                holds_dict = holds_dict if holds_dict is not None else member
            elif type(member) is types.MemberDescriptorType and module_of(each) not in _OPAQUE:
                slots.append((name, member))
    if holds_dict is not None and not comes_from(
        type(holds_dict), types.GetSetDescriptorType, types.MemberDescriptorType
    ):
        holds_dict = None  # a proxy that answers for another object
    return holds_dict, tuple(slots)
