"""Tracebacks that end near the user's own line, as they do where the allocator is C++."""

from __future__ import annotations

import linecache
import sys
import sysconfig
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

OWN_FOLDER = str(Path(__file__).parent)
_LIBRARIES = (OWN_FOLDER, "<frozen ", *map(sysconfig.get_path, ("stdlib", "purelib")))
_SHOWN = 80

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


class PersonLine(NamedTuple):
    """A line of a person's code."""

    filename: str
    number: int

    def __str__(self) -> str:
        code = linecache.getline(*self).strip()[:_SHOWN]
        return f"line {self.number} (`{code}`)" if code else f"line {self.number}"


def line_of_person() -> PersonLine | None:
    """Return the line of a person's code that this thread is in; libraries are nobody's."""
    frame: Any = sys._getframe(1)  # noqa: SLF001 -- the documented way to the callers
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame = frame.f_back
    return None if frame is None else PersonLine(frame.f_code.co_filename, frame.f_lineno)


def asks_of_padding() -> bool:
    """Whether this thread is where Transformers makes masks."""
    frame: Any = sys._getframe(1)  # noqa: SLF001 -- as above
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        module = frame.f_globals.get("__name__", "")
        if module.startswith("transformers."):
            return "mask" in module
        frame = frame.f_back
    return False


def asserted() -> bool | None:
    """Return what an `assert` needs that this thread is in, on the line next to our own frames."""
    frame: Any = sys._getframe(1)  # noqa: SLF001 -- as above
    while frame.f_code.co_filename.startswith(OWN_FOLDER):
        frame = frame.f_back
    words = linecache.getline(frame.f_code.co_filename, frame.f_lineno).split()
    return words[1:2] != ["not"] if words[:1] == ["assert"] else None
