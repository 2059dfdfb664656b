"""Where a failure happened: the line of the cell, and whether in a backward pass."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from ..cells import CellRun


def failing_line(error: BaseException, cell: CellRun) -> int | None:
    """Return the 1-based line of `cell` that failed, the innermost of its frames."""
    lines = cell.source.splitlines()
    found = None
    for step in _steps(error):
        name = step.tb_frame.f_code.co_filename
        if _is_of(name, cell) and 1 <= step.tb_lineno <= len(lines):
            found = step.tb_lineno
    return found


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


def _is_of(filename: str, cell: CellRun) -> bool:
    """IPython names each cell's code; where the name is not known the source tells."""
    if cell.filename is not None:
        return filename == cell.filename
    kept = linecache.cache.get(filename)
    if kept is None or len(kept) == 1:  # not read yet
        return False
    return "".join(kept[2]).strip() == cell.source.strip()
