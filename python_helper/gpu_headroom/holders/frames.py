"""The variables of a failed cell: the frames of its traceback keep them alive."""

from __future__ import annotations

import re
import sys
import types
from typing import TYPE_CHECKING, Any

from ..concurrency.other_threads import kind_of
from ..errors.recognise import errors_within
from ..inspection.classes import comes_from
from ..inspection.kinds import args_of, is_kind, name_of, top_of
from ..own import OURS
from .place import Edge, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import CodeType, FrameType, TracebackType

    from .names import Root
    from .visit import Visit, Walked

FRAME = Edge("frame", "variable `{name}`", ": {}")
_LOADS = re.compile("pickle|serialization")
_OF_SYS = ("last_exc", "last_value", "last_traceback", "last_type")
_OF_FORMATTER = ("tb", "etype", "evalue", "pdb")
_OF_RESULT = ("error_in_exec", "error_before_exec")


def last_errors(shell: Any) -> list[BaseException]:
    """Return the errors that Python and IPython remember, with all they are chained to."""
    result = getattr(shell, "last_execution_result", None)
    remembered = [
        getattr(sys, "last_exc", None),
        getattr(sys, "last_value", None),
        getattr(result, "error_in_exec", None),
        getattr(result, "error_before_exec", None),
        getattr(getattr(shell, "InteractiveTB", None), "evalue", None),
        getattr(getattr(shell, "SyntaxTB", None), "last_syntax_error", None),
    ]
    errors = [error for error in remembered if is_kind(error, BaseException)]
    return list(
        {
            id(exception): exception for error in errors for exception in errors_within(error)
        }.values()
    )


def last_tracebacks(shell: Any) -> list[TracebackType]:
    """Return the tracebacks that are remembered, with an error or on their own."""
    tracebacks = [error.__traceback__ for error in last_errors(shell)]
    tracebacks.append(getattr(sys, "last_traceback", None))
    tracebacks.append(getattr(getattr(shell, "InteractiveTB", None), "tb", None))
    return [
        traceback
        for traceback in {id(traceback): traceback for traceback in tracebacks}.values()
        if traceback is not None
    ]


def drop_tracebacks(shell: Any) -> None:
    """Forget the remembered errors; a gc must follow, since an error hangs in cycles.

    Attributes of `sys` are deleted, not emptied: `%debug` and `%tb` then say politely that there
    is nothing.
    """
    for name in _OF_SYS:
        vars(sys).pop(name, None)
    owners = (
        (getattr(shell, "InteractiveTB", None), _OF_FORMATTER),
        (getattr(shell, "last_execution_result", None), _OF_RESULT),
        (getattr(shell, "SyntaxTB", None), ("last_syntax_error",)),
    )
    for owner, names in owners:
        for name in names:
            if getattr(owner, name, None) is not None:
                setattr(owner, name, None)


def frames_of(tracebacks: Iterable[TracebackType]) -> Iterator[FrameType]:
    """Yield the frames of functions that failed, outermost first, without IPython's own.

    The functions that called them count, too, where they have ended: an error that was caught
    keeps their variables through `f_back`.
    """
    seen: set[FrameType] = set()
    for traceback in tracebacks:
        yield from _ended_callers(traceback.tb_frame, seen)
        step: TracebackType | None = traceback
        while step is not None:
            frame = step.tb_frame
            step = step.tb_next
            is_function = frame.f_code.co_name != "<module>"
            if is_function and frame not in seen and not _is_ipythons(frame):
                seen.add(frame)
                yield frame


def _ended_callers(frame: FrameType, seen: set[FrameType]) -> Iterator[FrameType]:
    """Yield the callers of a frame up to the notebook, as far as nothing runs in them."""
    # Ids only: our own frames are among them, which would then hold themselves.
    running = {id(below) for top in sys._current_frames().values() for below in callers(top)}  # noqa: SLF001 — the documented way to other threads' stacks
    for caller in callers(frame.f_back):
        if id(caller) in running or _is_ipythons(caller) or caller.f_code.co_name == "<module>":
            return
        if kind_of(caller) == "standard":
            return
        if caller not in seen:
            seen.add(caller)
            yield caller


def callers(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame, the one that called it, and so on."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def frame_roots(tracebacks: Iterable[TracebackType], shell: Any) -> list[list[Root]]:
    """Return the local variables of failed functions as places to walk from, the person's first.

    Three lists: functions of cells, of other code of theirs, of libraries. A storage goes by
    the name that its owner gave it, not by that of an argument it was passed on as. Reading
    `f_locals` leaves a copy in the frame, as IPython's own traceback does; a release clears both.
    """
    tiers: list[list[Root]] = [[], [], []]
    for traceback in tracebacks:
        cell = cell_of(traceback, shell)
        for frame in frames_of([traceback]):
            tiers[_distance(frame, shell)] += [
                (value, Place("traceback", name, row=cell)) for name, value in _variables(frame)
            ]
    return tiers


def visit_of(kind: type) -> Visit | None:
    """Return how to visit errors and tracebacks; `None` for any other class."""
    return _postpone if comes_from(kind, BaseException, types.TracebackType) else None


def kept_errors(walk: Walked) -> Iterator[Root]:
    """Yield the variables in frames of errors that are stored in objects, as roots of a walk.

    They come after all other named objects: an error that IPython also stores is freed with its
    cell's traceback, even if another object stores it too.
    """
    for error, place in walk.errors:
        if is_kind(error, BaseException):
            yield args_of(error), place.step("args")
        for frame in frames_of(tracebacks_of(error)):
            for name, value in _variables(frame):
                yield value, place.step(name, FRAME)


def tracebacks_of(kept: BaseException | TracebackType) -> list[TracebackType]:
    """Return the tracebacks of an error and those it is chained to, or a traceback itself."""
    if type(kept) is types.TracebackType:
        return [kept]
    errors = errors_within(kept) if is_kind(kept, BaseException) else ()
    return [error.__traceback__ for error in errors if error.__traceback__ is not None]


def _postpone(walk: Walked, error: Any, place: Place) -> None:
    walk.errors.append((error, place))


def locals_of(frame: FrameType) -> Mapping[str, Any]:
    """Return the local variables of a frame that has ended; none of a mapping of the user's own."""
    variables = frame.f_locals
    if type(variables) is not dict and name_of(type(variables)) != "FrameLocalsProxy":
        return {}
    return variables


def _variables(frame: FrameType) -> list[tuple[str, Any]]:
    """Return the local variables, by names such as `x in Block.forward`.

    `exec` may have been given a mapping of the user's class, whose methods are not called. Local
    variables of the helper's own frames have no name; those of a load are all named `load()`.
    """
    variables, module = locals_of(frame), frame.f_globals.get("__name__")
    where, own = where_of(frame.f_code), _module(frame) in OURS
    if type(module) is str and _LOADS.search(module):
        return [("load()", value) for value in variables.values()]
    is_self = "self" in variables and is_installed(frame)  # a library's: a person knows its class
    names = {"self": name_of(type(variables["self"]))} if is_self else {}
    return [
        ("" if own else names.get(name, name) + where, value) for name, value in variables.items()
    ]


def cell_of(traceback: TracebackType | None, shell: Any) -> str:
    """Return the cell that failed, as a notebook shows its number."""
    cells = getattr(getattr(shell, "compile", None), "_filename_map", {})
    while traceback is not None:
        count = cells.get(traceback.tb_frame.f_code.co_filename)
        if count is not None:
            return f"In [{count}]"
        traceback = traceback.tb_next
    return "In [ ]"


def _distance(frame: FrameType, shell: Any) -> int:
    """Return how far a frame's code is from the user: 0 a cell, 1 a user's file, 2 a library."""
    if frame.f_globals is getattr(shell, "user_global_ns", None):
        return 0
    return 2 if is_installed(frame) else 1


def is_installed(frame: FrameType) -> bool:
    """Whether the code of a frame is a library's, Python's or ours."""
    return kind_of(frame) != "own"


def where_of(code: CodeType, *, outer: int = 0) -> str:
    """Return ` in Block.forward` for the innermost function that has a name; empty in a cell.

    With `outer` for one so many functions around it. Python 3.10 knows neither these nor the class.
    """
    path = getattr(code, "co_qualname", code.co_name).split(".<locals>.")
    functions = [step for step in reversed(path) if not step.startswith("<")]
    return f" in {functions[outer]}" if len(functions) > outer else ""


def _is_ipythons(frame: FrameType) -> bool:
    return _module(frame) in ("IPython", "ipykernel")


def _module(frame: FrameType) -> str:
    return top_of(frame.f_globals.get("__name__"))
