"""Suspended functions, tasks, Futures and the work of executors, with what they retain.

An event loop, a thread or an iterator in C may be all that refers to them: no name leads there,
and the garbage collector does not collect them.
"""

from __future__ import annotations

import asyncio
import gc
import types
from concurrent import futures
from typing import TYPE_CHECKING, Any

from ..concurrency.other_threads import is_standard, of_kernel
from ..inspection.classes import comes_from, heirs
from ..inspection.kinds import is_kind, name_of
from .place import Edge, Place

if TYPE_CHECKING:
    from .names import Root
    from .visit import Visit, Walked

LOCAL = Edge("local", "variables of the suspended `{name}`", "'s locals", "later")
RESULT = Edge("result", "the result of a {name}", "'s result", "later")
SUSPENDED: dict[type, str] = {
    types.GeneratorType: "gi_code",
    types.CoroutineType: "cr_code",
    types.AsyncGeneratorType: "ag_code",
}
_FUTURES = (asyncio.Future, futures.Future)
_OF_FUTURE = (
    (asyncio.Future, "_result"),
    (asyncio.Future, "_exception"),
    (asyncio.Task, "_coro"),
)


def visit_of(kind: type) -> Visit | None:
    """Return how what is suspended, or a promise, is looked into."""
    if any(kind is cls for cls in SUSPENDED):  # a metaclass may have a hash of its own
        return _visit_suspended
    return _visit_future if comes_from(kind, *_FUTURES) else None


def kinds() -> list[type]:
    """Return the classes of what may hold memory and be held by nothing that has a name."""
    return [*SUSPENDED, *heirs(*_FUTURES)]


def roots(walk: Walked) -> list[Root]:
    """Return suspended functions and Futures that no walk reached, as roots named `work()`.

    Those of the kernel and of the standard library are left out: they lead to users' functions,
    which are roots themselves.
    """
    return [
        (promise, Place("elsewhere", name))
        for promise in walk.promises
        if walk.place_of(promise) is None and (name := _name(promise))
    ]


def code_of(value: Any) -> types.CodeType | None:
    """Return the code of a suspended function, or of the one that a task runs."""
    if is_kind(value, asyncio.Task):
        value = _read(value, asyncio.Task, "_coro")
    generator = (getattr(value, name) for kind, name in SUSPENDED.items() if type(value) is kind)
    return next(generator, None)


def _name(value: Any) -> str:
    code = code_of(value)
    if code is None:
        return str.__str__(name_of(type(value))) if comes_from(type(value), *_FUTURES) else ""
    machinery = is_standard(code.co_filename) or of_kernel(code.co_filename)
    return "" if machinery else f"{code.co_name}()"


def _visit_suspended(walk: Walked, holder: Any, place: Place) -> None:
    """Visit the referents: reading `f_locals` of a suspended frame would keep old values alive."""
    code = code_of(holder)
    _visit_referents(walk, holder, place.step(code.co_name if code is not None else "", LOCAL))


def _visit_referents(walk: Walked, holder: Any, place: Place) -> None:
    for value in gc.get_referents(holder):
        if is_kind(value, types.FrameType):  # Python 3.10
            _visit_referents(walk, value, place)
        else:
            walk.push(value, place)


def _visit_future(walk: Walked, future: Any, place: Place) -> None:
    """Visit the result of a Future, or its error and, since Python 3.11, its own traceback."""
    kind, refs = type(future), walk.inspector.attributes(future)
    refs |= {name: _read(future, base, name) for base, name in _OF_FUTURE if comes_from(kind, base)}
    result = place.step(str.__str__(name_of(kind)), RESULT)
    for name, value in refs.items():
        walk.push(value, result if name == "_result" else place.step(name))
    for value in gc.get_referents(future):
        if type(value) is types.TracebackType:
            walk.push(value, place.step("__traceback__"))


def _read(value: Any, owner: type, name: str) -> Any:
    descriptor = vars(owner).get(name)
    return descriptor.__get__(value) if type(descriptor) is types.GetSetDescriptorType else None
