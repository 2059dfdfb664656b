"""The errors that Python and IPython remember: dropping them frees the variables of failed cells.

IPython 7.34 to 9 keep an error in `sys.last_*`, in `InteractiveTB`, in the last execution
result, and after `%debug` in its debugger. Each of these lets go of it. The error itself is left
as it is: where somebody keeps it besides, in a variable of the person's, it is theirs, with its
traceback and all that this holds.
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
    """Whether a debugger stands in a frame at this moment: what it looks at must stay."""
    return any(
        frame.f_globals.get("__name__") in _DEBUGGERS
        for stack in sys._current_frames().values()  # noqa: SLF001 — the documented way to other threads' stacks
        for frame in callers(stack)
    )
