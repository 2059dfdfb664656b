"""The variables of a failed cell: the frames of its traceback keep them alive."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..oom.recognise import errors_within
from .walk import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType, TracebackType

    from .names import Root


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
    found: dict[int, BaseException] = {}
    for error in remembered:
        if isinstance(error, BaseException):
            found.update((id(each), each) for each in errors_within(error))
    return list(found.values())


def last_tracebacks(shell: Any) -> list[TracebackType]:
    """Return the tracebacks that are remembered, with an error or on their own."""
    tracebacks = [error.__traceback__ for error in last_errors(shell)]
    tracebacks.append(getattr(sys, "last_traceback", None))
    tracebacks.append(getattr(getattr(shell, "InteractiveTB", None), "tb", None))
    return [each for each in {id(each): each for each in tracebacks}.values() if each is not None]


def frames_of(tracebacks: Iterable[TracebackType]) -> Iterator[FrameType]:
    """Yield the frames of the code that failed, outermost first, without IPython's own."""
    seen: set[FrameType] = set()
    for traceback in tracebacks:
        step: TracebackType | None = traceback
        while step is not None:
            frame = step.tb_frame
            step = step.tb_next
            if frame not in seen and not _is_ipythons(frame):
                seen.add(frame)
                yield frame


def frame_roots(tracebacks: Iterable[TracebackType]) -> list[Root]:
    """Return the local variables of failed functions as places to walk from.

    Reading `f_locals` leaves a copy in the frame, as IPython's own traceback does;
    a release clears both.
    """
    return [
        (value, Place("traceback", name))
        for frame in frames_of(tracebacks)
        if frame.f_code.co_name != "<module>"
        for name, value in frame.f_locals.items()
    ]


def _is_ipythons(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__")
    return isinstance(module, str) and module.partition(".")[0] in ("IPython", "ipykernel")
