"""The errors that Python and IPython remember: dropping them frees the variables of failed cells.

IPython 7.34 to 9 keep an error in `sys.last_*`, in `InteractiveTB`, in the last execution
result, and after `%debug` in its debugger, each with the errors it is chained to.
"""

from __future__ import annotations

import gc
import sys
import types
from typing import TYPE_CHECKING, Any

from ..holders.frames import callers, frames_of, last_errors, last_tracebacks
from ..messages import message
from .freeable import Freeable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

    from .situation import Situation

_OF_SYS = ("last_exc", "last_value", "last_traceback", "last_type")
_OF_FORMATTER = ("tb", "etype", "evalue", "pdb")
_DEBUGGERS = frozenset({"pdb", "bdb", "IPython.core.debugger"})
_CODE = """\
# Errors that Python and IPython remember keep the variables of their cells. `%debug` is lost.
last = shell.last_execution_result
errors = [getattr(sys, name, None) for name in ("last_exc", "last_value")]
errors += [getattr(last, name, None) for name in ("error_in_exec", "error_before_exec")]
errors += [getattr(shell.InteractiveTB, "evalue", None), shell.SyntaxTB.last_syntax_error]
seen = set()
while errors:
    error = errors.pop()
    if isinstance(error, BaseException) and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = None
        errors += [error.__cause__, error.__context__]
        errors += getattr(error, "exceptions", None) or ()
for name in ("last_exc", "last_value", "last_traceback", "last_type"):
    vars(sys).pop(name, None)
for name in ("tb", "etype", "evalue", "pdb"):
    if hasattr(shell.InteractiveTB, name):
        setattr(shell.InteractiveTB, name, None)
shell.SyntaxTB.last_syntax_error = error = last = None
"""


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield the remembered errors of failed cells."""
    shell = situation.shell
    yield Freeable(
        id="traceback",
        kind="traceback",
        title=message("item.traceback"),
        cost=message("item.traceback.cost"),
        gives=situation.reachable.of_remembered(),
        free=lambda: drop_tracebacks(shell),
        safe=True,
        selected=True,
        blocked=message("item.traceback.cost_debugging") if debugging() else None,
        code=_CODE,
    )


def remembered(shell: Any) -> tuple[list[Any], list[Any]]:
    """Return what goes with the remembered errors, and what lets go of it: frames are cleared."""
    formatter = getattr(shell, "InteractiveTB", None)
    tracebacks = last_tracebacks(shell)
    frames = list(frames_of(tracebacks))
    values = [*tracebacks, getattr(formatter, "pdb", None)]
    values += [each for frame in frames for each in gc.get_referents(frame)]
    return values, [*last_errors(shell), vars(sys), formatter, *frames]


def debugging() -> bool:
    """Whether a debugger stands in a frame at this moment: what it looks at must stay."""
    return any(
        frame.f_globals.get("__name__") in _DEBUGGERS
        for stack in sys._current_frames().values()  # noqa: SLF001 — the documented way to other threads' stacks
        for frame in callers(stack)
    )


def drop_tracebacks(shell: Any) -> None:
    """Forget the remembered errors and let their variables go; a gc must follow.

    Attributes of `sys` are deleted, not emptied: `%debug` and `%tb` then say politely that there
    is nothing. The errors themselves stay, without their tracebacks.
    """
    errors, tracebacks = last_errors(shell), last_tracebacks(shell)
    clear_frames(tracebacks)
    for error in errors:
        forget_traceback(error)
    for name in _OF_SYS:
        if hasattr(sys, name):
            delattr(sys, name)
    formatter = getattr(shell, "InteractiveTB", None)
    for name in _OF_FORMATTER:
        if getattr(formatter, name, None) is not None:
            setattr(formatter, name, None)
    if getattr(getattr(shell, "SyntaxTB", None), "last_syntax_error", None) is not None:
        shell.SyntaxTB.last_syntax_error = None


def forget_traceback(error: BaseException) -> None:
    """Take the traceback from an error, also from one of a class that forbids assignment."""
    BaseException.__setattr__(error, "__traceback__", None)


def clear_frames(tracebacks: list[TracebackType]) -> None:
    """Empty the frames and those that called them, for a traceback that somebody keeps elsewhere.

    Up to Python 3.12 `clear` leaves behind the copy of the variables that a formatter made by
    reading `f_locals`; reading it once more empties that, too.
    """
    suspended = _suspended_frames() if tracebacks else set()
    frames = set(frames_of(tracebacks))
    for traceback in tracebacks:
        step: TracebackType | None = traceback
        while step is not None:
            frames.add(step.tb_frame)
            step = step.tb_next
    for frame in frames - suspended:
        if _clear(frame):
            frame.f_locals  # noqa: B018 — the read is the point


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
