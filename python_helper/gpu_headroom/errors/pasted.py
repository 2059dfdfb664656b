"""Reports of a full GPU in the text of an error, traceback or log, pasted or from a process."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from . import statement
from .besides import Besides, besides
from .formats import CLASSES, HOST_FUNCTIONS
from .reader import SIGNS, Reader
from .remote import without_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .statement import Statement

# The last line of a traceback, perhaps behind a log's prefix: a class that is an error, and a text.
_ERROR = re.compile(
    r"^[^\n]{0,300}?(?<![\w.])(?<!except )(?P<name>(?:[A-Za-z_]\w{0,99}\.){0,9}"
    r"[A-Za-z_]\w{0,99}(?:Error|Exception|Exit|Interrupt|OutOfMemory|Warning))(?::[ \t]*|$)",
    re.MULTILINE,
)
_COLOURS = re.compile(r"\x1b\[[\d;]{0,20}[A-Za-z]")
_TRACEBACK = re.compile(r"^[^\n]{0,300}Traceback \(most recent call last\)", re.MULTILINE)
_AT_HOST = re.compile(rf"\bin (?:{'|'.join(sorted(HOST_FUNCTIONS))})\b")
_LONGEST = 4000  # characters of one statement
_LINES_AFTER = 8  # of a log, behind the one that says it
_MOST = 200  # errors, or lines with a sign, the last ones
_SUMMARY_LINES = 100  # behind the error that a program ended by; with more it went on


@dataclass(frozen=True, slots=True)
class Pasted:
    """Contents of a text, and the class of the error in it; `None` for a log without one.

    `above` is the error's traceback, and `below` the text from its message to the end.
    """

    error_name: str | None
    said: Statement
    besides: Besides
    above: str = ""
    below: str = ""

    @property
    def is_end(self) -> bool:
        """Whether the error is the one that the program ended by."""
        return self.error_name is not None and self.below.count("\n") <= _SUMMARY_LINES


def recognise_text(text: str) -> Pasted | None:
    """Return what a text reports of a full GPU; `None` for any other text.

    Of several errors, the last one that reports it is used.
    """
    plain = _COLOURS.sub("", Reader().read(text)).replace("\r\n", "\n")
    rest = plain
    for place in _errors(plain):
        report = _said(plain, place)
        if report is not None:
            return report
        rest = rest[: place.said.start] + rest[place.said.stop :]
    for entry in _log_entries(without_steps(rest)):
        contents = statement.read(entry)
        if contents is not None:
            return Pasted(None, contents, besides(entry, contents))
    return None


def _said(text: str, place: _Place) -> Pasted | None:
    """Return what an error says."""
    name, message = place.name, text[place.said]
    if name.endswith("Warning"):
        return None  # the program went on
    # Where a message ends that is no error's last is not to be seen; where its line ends is.
    contents = statement.read(message) or statement.read(message.partition("\n")[0])
    framework = CLASSES.get((name.partition(".")[0], name.rpartition(".")[2]))
    contents = statement.of_class(contents, framework, message)
    if contents is None or (not contents.certain and _AT_HOST.search(text[place.above])):
        return None
    above, below = text[place.above.start : place.said.start], text[place.said.start :]
    return Pasted(name, contents, besides(message, contents), above, below)


class _Place(NamedTuple):
    """An error in a text: its class, its message, and the traceback above it."""

    name: str
    said: slice
    above: slice


def _errors(text: str) -> Iterator[_Place]:
    """Yield the errors of a text, the last first."""
    matches = list(_ERROR.finditer(text))[-_MOST:]
    begins = [found_at.start() for found_at in matches] + [
        header.start() for header in _TRACEBACK.finditer(text)
    ]
    for match in reversed(matches):
        start, end = match.span()
        above = max((other for other in begins if other < start), default=0)
        below = min((other for other in begins if other >= end), default=len(text))
        yield _Place(match["name"], slice(end, min(below, end + _LONGEST)), slice(above, start))


def _log_entries(text: str) -> Iterator[str]:
    """Yield the lines of a log that may say it, with those behind them, the last entry first."""
    lines = text.splitlines()
    places = [n for n, line in enumerate(lines) if any(sign in line for sign in SIGNS)][-_MOST:]
    # Lines that say it one after the other are one entry, which begins with the first of them.
    firsts = [n for n in places if n - 1 not in places]
    for first in reversed(firsts):
        yield "\n".join(lines[first : first + _LINES_AFTER])[:_LONGEST]
    yield "\n".join(lines)[-_LONGEST:]
