"""The errors that Python and IPython remember: dropping them frees the variables of failed cells.

IPython 7.34 to 9 keep an error in `sys.last_*`, in `InteractiveTB`, in the last execution
result, and after `%debug` in its debugger, each with the errors it is chained to.
"""

from __future__ import annotations

import gc
import sys
import types
from typing import TYPE_CHECKING, Any

from ..holders.frames import last_errors, last_tracebacks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

_OF_SYS = ("last_exc", "last_value", "last_traceback", "last_type")
_OF_FORMATTER = ("tb", "etype", "evalue", "pdb")
_DEBUGGERS = frozenset({"pdb", "bdb", "IPython.core.debugger"})


def debugging() -> bool:
    """Whether a debugger stands in a frame at this moment: what it looks at must stay."""
    return any(
        frame.f_globals.get("__name__") in _DEBUGGERS
        for stack in sys._current_frames().values()  # noqa: SLF001 — the documented way to other threads' stacks
        for frame in _callers(stack)
    )


def drop_tracebacks(shell: Any) -> None:
    """Forget the remembered errors and let their variables go; a gc must follow.

    Attributes of `sys` are deleted, not emptied: `%debug` and `%tb` then say politely that there
    is nothing. The errors themselves stay, without their tracebacks.
    """
    errors, tracebacks = last_errors(shell), last_tracebacks(shell)
    _clear_frames(tracebacks)
    for error in errors:
        error.__traceback__ = None
    for name in _OF_SYS:
        if hasattr(sys, name):
            delattr(sys, name)
    formatter = getattr(shell, "InteractiveTB", None)
    for name in _OF_FORMATTER:
        if getattr(formatter, name, None) is not None:
            setattr(formatter, name, None)
    if getattr(getattr(shell, "SyntaxTB", None), "last_syntax_error", None) is not None:
        shell.SyntaxTB.last_syntax_error = None


def _clear_frames(tracebacks: list[TracebackType]) -> None:
    """Empty the frames, for an error that the user keeps elsewhere.

    Up to Python 3.12 `clear` leaves behind the copy of the variables that a formatter made by
    reading `f_locals`; reading it once more empties that, too.
    """
    suspended = _suspended_frames() if tracebacks else set()
    for traceback in tracebacks:
        step: TracebackType | None = traceback
        while step is not None:
            frame = step.tb_frame
            if frame not in suspended and _clear(frame):
                frame.f_locals  # noqa: B018 — the read is the point
            step = step.tb_next


def _clear(frame: FrameType) -> bool:
    try:
        frame.clear()
    except RuntimeError:  # still running: the frames of IPython itself
        return False
    return True


def _suspended_frames() -> set[FrameType]:
    """Return the frames of generators that may go on: clearing one would end it."""
    kinds = {
        types.GeneratorType: "gi_frame",
        types.CoroutineType: "cr_frame",
        types.AsyncGeneratorType: "ag_frame",
    }
    frames = (
        getattr(value, kinds[type(value)]) for value in gc.get_objects() if type(value) in kinds
    )
    return {frame for frame in frames if frame is not None}


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
