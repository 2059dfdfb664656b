"""Members of an object of any other class: the values in its `__dict__` and its slots."""

from __future__ import annotations

import gc
import threading
import types
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..inspection.classes import comes_from, namespace_of
from ..inspection.kinds import is_kind, module_of, mro, name_of
from ..inspection.tables import items_of
from ..own import SIMULATOR

if TYPE_CHECKING:
    from .place import Place
    from .visit import Visit, Walked

    Layout = tuple[type, Any, list[tuple[str, Any]]]

_MOST = 2_000
_OPAQUE = frozenset({"builtins", "_thread", "weakref", "abc", "re", "typing", "numpy"})
# Ours, and the shell and the kernel: these hold all of the user's names, and would be one more
# name of everything.
_MACHINERY = frozenset({"gpu_headroom", "_gpu_headroom", SIMULATOR, "ipykernel"})
_SHELL = "IPython.core.interactiveshell", "InteractiveShell"
_NOT_HOLDERS = (types.ModuleType, types.FrameType, types.CodeType)
_OWN_CLASSES = "__main__"  # a class of a notebook


def visit_of(kind: type) -> Visit | None:
    """Return how objects of a class are looked into, `None` where they hold nothing of interest."""
    if comes_from(kind, type):
        return visit_class
    if comes_from(kind, threading.local):
        return _visit_local
    if module_of(kind) in _OPAQUE or comes_from(kind, *_NOT_HOLDERS) or is_machinery(kind):
        return None
    return visit


def is_machinery(kind: type) -> bool:
    """Whether objects of a class are ours, or the shell or the kernel."""
    if module_of(kind).partition(".")[0] in _MACHINERY:
        return True
    return any((module_of(cls), name_of(cls)) == _SHELL for cls in mro(kind))


def visit(walk: Walked, value: Any, place: Place) -> None:
    """Queue the attributes of an object; those private to a library come last.

    Reading `__dict__` creates one for an object that has none yet, so it is read only if the
    object's referents may lead to GPU memory.
    """
    visits = (walk.inspector.visit_of(type(referent)) for referent in gc.get_referents(value))
    if all(visit is None or visit is visit_class for visit in visits):
        return
    is_own = module_of(type(value)) == _OWN_CLASSES
    for name, attribute in islice(walk.inspector.attributes(value).items(), _MOST):
        private = not is_own and name.startswith("_")
        walk.push(attribute, place.step(name), last=private)


def visit_class(walk: Walked, kind: Any, place: Place) -> None:
    """Visit values in the body of a notebook's class, such as a cache, or of a root's class."""
    if module_of(kind) == _OWN_CLASSES or not place.depth:
        for name, value in items_of(namespace_of(kind)):
            if not comes_from(type(value), types.FunctionType, types.GetSetDescriptorType):
                walk.push(value, place.step(name))


def _visit_local(walk: Walked, local: Any, place: Place) -> None:
    """A thread-local has a dictionary for each thread, in one of its own."""
    inner = [get_referent for get_referent in gc.get_referents(local) if type(get_referent) is dict]
    for table in gc.get_referents(*inner) if inner else ():
        for name, value in items_of(table) if type(table) is dict else ():
            if type(name) is str:
                walk.push(value, place.step(name))


def attributes(value: Any, layout: Layout) -> dict[str, Any]:
    """Return what an object of a class keeps, read from C-level descriptors: no code is run."""
    _, own_dict, slots = layout
    values: dict[str, Any] = {}
    for name, slot in slots:
        try:
            values[name] = slot.__get__(value)
        except AttributeError:
            continue  # not assigned
    table = own_dict.__get__(value) if own_dict is not None else None
    if is_kind(table, dict):
        values.update((key, member) for key, member in items_of(table) if type(key) is str)
    return values


def layout_of(kind: type) -> Layout:
    """Return a class, the descriptor of its `__dict__` if it is Python's own, and its slots."""
    own_dict = None
    slots: list[tuple[str, Any]] = []
    for base in mro(kind):
        for name, member in items_of(namespace_of(base)):
            if name == "__dict__":
                own_dict = own_dict if own_dict is not None else member
            elif type(member) is types.MemberDescriptorType and module_of(base) not in _OPAQUE:
                slots.append((name, member))
    if type(own_dict) not in (types.GetSetDescriptorType, types.MemberDescriptorType):
        own_dict = None  # a proxy that answers for another object
    return kind, own_dict, slots
