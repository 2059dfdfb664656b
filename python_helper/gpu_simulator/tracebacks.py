"""Tracebacks that end near the user's own line, as they do where the allocator is C++."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TypeVar

OWN_FOLDER = str(Path(__file__).parent)

Error = TypeVar("Error", bound=BaseException)


def without_own_frames(error: Error) -> Error:
    """Take the simulator's frames out of the traceback of `error`, and return `error`."""
    kept = []
    entry = error.__traceback__
    while entry is not None:
        if not entry.tb_frame.f_code.co_filename.startswith(OWN_FOLDER):
            kept.append(entry)
        entry = entry.tb_next
    chain: TracebackType | None = None
    for entry in reversed(kept):
        chain = TracebackType(chain, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return error.with_traceback(chain)
