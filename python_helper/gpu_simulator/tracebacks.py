"""Tracebacks that end near the user's own line, as they do where the allocator is C++."""

from __future__ import annotations

import linecache
import sys
import sysconfig
from os.path import normcase
from pathlib import Path
from traceback import walk_stack
from types import FrameType, TracebackType
from typing import NamedTuple, TypeVar

_OWN = normcase(Path(__file__).parent)
_LIBRARIES = ("<frozen ", _OWN, *map(normcase, map(sysconfig.get_path, ("stdlib", "purelib"))))
_SHOWN = 80

Error = TypeVar("Error", bound=BaseException)


def is_own(frame: FrameType, where: str | tuple[str, ...] = _OWN) -> bool:
    """Whether the code of a frame is the simulator's, or lies in one of these places."""
    return normcase(frame.f_code.co_filename).startswith(where)


def without_own_frames(error: Error) -> Error:
    """Take the simulator's frames out of the traceback of `error`, and return `error`."""
    entries, entry = list[TracebackType](), error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    chain: TracebackType | None = None
    for each in reversed(entries):
        if not is_own(each.tb_frame):
            chain = TracebackType(chain, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return error.with_traceback(chain)


class PersonLine(NamedTuple):
    """A line of a person's code."""

    filename: str
    number: int

    def __str__(self) -> str:
        code = linecache.getline(*self).strip()[:_SHOWN]
        return f"line {self.number} (`{code}`)" if code else f"line {self.number}"


def line_of_person() -> PersonLine | None:
    """Return the line of the user's code that this thread is in; `None` if in libraries only."""
    stack = walk_stack(sys._getframe(1))  # noqa: SLF001 -- the documented way to the callers
    found = (PersonLine(f.f_code.co_filename, n) for f, n in stack if not is_own(f, _LIBRARIES))
    return next(found, None)


def asks_of_padding() -> bool:
    """Whether this thread is where Transformers makes masks."""
    for frame, _ in walk_stack(sys._getframe(1)):  # noqa: SLF001 -- as above
        module = str(frame.f_globals.get("__name__"))
        if module.startswith("transformers.") or not is_own(frame, _LIBRARIES):
            return module.startswith("transformers.") and "mask" in module
    return False


def asserted() -> bool | None:
    """Return what an `assert` needs that this thread is in, on the line next to our own frames."""
    frame = next(f for f, _ in walk_stack(sys._getframe(1)) if not is_own(f))  # noqa: SLF001 -- as above
    words = linecache.getline(frame.f_code.co_filename, frame.f_lineno).split()
    return words[1:2] != ["not"] if words[:1] == ["assert"] else None
