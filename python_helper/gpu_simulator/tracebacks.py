"""Tracebacks that end near the user's own line, as they do where the allocator is C++."""

from __future__ import annotations

import linecache
import sys
import sysconfig
from os.path import normcase
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple, TypeVar

_OWN = normcase(Path(__file__).parent)
_LIBRARIES = (
    "<frozen ",
    _OWN,
    *map(normcase, map(sysconfig.get_path, ("stdlib", "purelib"))),
)
_SHOWN = 80

Error = TypeVar("Error", bound=BaseException)


def is_own(frame: FrameType) -> bool:
    """Whether the code of a frame is the simulator's."""
    return normcase(frame.f_code.co_filename).startswith(_OWN)


def without_own_frames(error: Error) -> Error:
    """Take the simulator's frames out of the traceback of `error`, and return `error`."""
    kept = []
    entry = error.__traceback__
    while entry is not None:
        if not is_own(entry.tb_frame):
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
    while frame is not None and _is_library(frame):
        frame = frame.f_back
    return None if frame is None else PersonLine(frame.f_code.co_filename, frame.f_lineno)


def _is_library(frame: FrameType) -> bool:
    return normcase(frame.f_code.co_filename).startswith(_LIBRARIES)


def asks_of_padding() -> bool:
    """Whether this thread is where Transformers makes masks."""
    frame: Any = sys._getframe(1)  # noqa: SLF001 -- as above
    while frame is not None and _is_library(frame):
        module = frame.f_globals.get("__name__", "")
        if module.startswith("transformers."):
            return "mask" in module
        frame = frame.f_back
    return False


def asserted() -> bool | None:
    """Return what an `assert` needs that this thread is in, on the line next to our own frames."""
    frame: Any = sys._getframe(1)  # noqa: SLF001 -- as above
    while is_own(frame):
        frame = frame.f_back
    words = linecache.getline(frame.f_code.co_filename, frame.f_lineno).split()
    return words[1:2] != ["not"] if words[:1] == ["assert"] else None
