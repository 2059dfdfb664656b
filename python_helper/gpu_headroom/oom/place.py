"""Where a failure happened: the line of the cell, and whether in a backward pass.

IPython compiles a cell without its leading blank lines, and makes one line of a magic that
is continued over several: lines are told as the notebook shows them.
"""

from __future__ import annotations

import linecache
import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from ..cells import CellRun

_TIMED = re.compile(r"\s*%%time\b[^\n]*\n")  # compiled by the magic, under a name of its own
_TIMED_NAMES = ("<timed exec>", "<timed eval>")


def failing_line(error: BaseException, cell: CellRun) -> int | None:
    """Return the 1-based line of `cell` that failed, the innermost of its frames."""
    innermost = None
    for step in _steps(error):
        compiled = _compiled(step.tb_frame.f_code.co_filename, cell)
        if 1 <= step.tb_lineno <= len(compiled):
            innermost = step.tb_lineno, compiled
    return innermost and _shown_line(*innermost, cell.source.splitlines())


def failed_in_backward(error: BaseException) -> bool:
    """Whether PyTorch was running a backward pass."""
    return any(
        step.tb_frame.f_code.co_name in ("backward", "_engine_run_backward")
        and step.tb_frame.f_globals.get("__name__", "").startswith("torch")
        for step in _steps(error)
    )


def _steps(error: BaseException) -> Iterator[TracebackType]:
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


def _compiled(filename: str, cell: CellRun) -> list[str]:
    """Return the lines of this cell that were compiled as `filename`, none if it is not of it.

    IPython names each cell's code; where the name is not known the source tells, and so it
    does for the body of a cell magic that runs it as a cell of its own.
    """
    if filename in _TIMED_NAMES:
        magic = _TIMED.match(cell.source)
        return _without_leading_blanks(cell.source[magic.end() :]) if magic else []
    kept = linecache.cache.get(filename)
    lines = [] if kept is None or len(kept) == 1 else kept[2]
    text = "".join(lines).strip()
    if filename == cell.filename or (text and cell.source.rstrip().endswith(text)):
        return lines or _without_leading_blanks(cell.source)
    return []


def _without_leading_blanks(source: str) -> list[str]:
    lines = source.splitlines()
    return lines[_leading_blanks(lines) :]


def _leading_blanks(lines: Sequence[str]) -> int:
    return next((n for n, line in enumerate(lines) if line.strip()), 0)


def _shown_line(number: int, compiled: Sequence[str], shown: Sequence[str]) -> int:
    """Return the line of the cell that became line `number` of what was compiled.

    What a magic became looks otherwise: its line follows from those before it, else after it.
    """
    one, other = ([line.strip() for line in lines] for lines in (compiled, shown))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    alike = [each for each in matcher.get_matching_blocks() if each.size]
    nearest = next((each for each in reversed(alike) if each.a < number), None) or next(
        iter(alike), None
    )
    shift = _leading_blanks(shown) if nearest is None else nearest.b - nearest.a
    return min(max(1, number + shift), len(shown))
