"""Errors that Python and IPython store: removing them frees the variables of failed cells.

IPython 7.34 to 9 store an error in `sys.last_*`, in `InteractiveTB`, in the last execution result,
and after `%debug` in the debugger. All of these references are removed. The error itself is not
changed: if the user has it in a variable, it stays with its traceback and all that this retains.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..holders.frames import callers, drop_tracebacks
from ..text.messages import message
from .freeable import Freeable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .situation import Situation

_DEBUGGERS = frozenset({"pdb", "bdb", "IPython.core.debugger"})


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield the remembered errors of failed cells."""
    shell = situation.shell
    yield Freeable(
        id="traceback",
        kind="traceback",
        title=message("item.traceback"),
        cost=message("item.traceback.cost"),
        gives=situation.heap.retained_by_remembered() if situation.sees else None,
        free=lambda: drop_tracebacks(shell),
        blocked=message("item.traceback.cost_debugging") if debugging() else None,
    )


def debugging() -> bool:
    """Whether a debugger has suspended a frame, whose variables must then stay."""
    return any(
        frame.f_globals.get("__name__") in _DEBUGGERS
        for stack in sys._current_frames().values()  # noqa: SLF001 — the documented way to other threads' stacks
        for frame in callers(stack)
    )
