"""The lines in which two texts differ, as few as can be, and as a person reads them."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from ..protocol.wire import DiffRow

    Sign = Literal[" ", "-", "+"]

_MOST_LINES = 2000  # that are compared with each other
_SHOWN = 2  # of lines that are only indented


class Hunk(NamedTuple):
    """Lines that become others; `first` counts from 1 in the old text, `new_first` in the new."""

    first: int
    old: list[str]
    new_first: int
    new: list[str]


def hunks(before: str, after: str) -> list[Hunk]:
    """Return what has to be replaced, from the top down."""
    old, new = before.split("\n"), after.split("\n")
    start, shorter = 0, min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    if len(left) + len(right) > _MOST_LINES:
        return [Hunk(start + 1, left, start + 1, right)]
    return [
        Hunk(start + a + 1, left[a:b], start + c + 1, right[c:d])
        for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def rows(before: str, after: str) -> list[DiffRow]:
    """Return the rows of a diff: what is only inserted has a line around it."""
    lines = before.split("\n")
    found: list[DiffRow] = []
    for hunk in hunks(before, after):
        inserted = not hunk.old
        if inserted:
            found += _context(lines, range(hunk.first - 1, 0, -1))
        found += _changed(hunk)
        if inserted:
            found += _context(lines, range(hunk.first, len(lines) + 1))
    # Two insertions may have a line around them in common.
    return [row for n, row in enumerate(found) if row not in found[max(0, n - 2) : n]]


def _context(lines: Sequence[str], numbers: range) -> list[DiffRow]:
    """Return the nearest line that says something."""
    number = next((each for each in numbers if lines[each - 1].strip()), None)
    return [] if number is None else [_row(" ", number, lines[number - 1])]


def _changed(hunk: Hunk) -> Iterator[DiffRow]:
    old, new = [[each.strip() for each in lines] for lines in (hunk.old, hunk.new)]
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from _indented(hunk, range(a, b), c)
            continue
        for n in range(a, b):
            yield _row("-", hunk.first + n, hunk.old[n])
        for n in range(c, d):
            yield _row("+", hunk.new_first + n, hunk.new[n])


def _indented(hunk: Hunk, lines: range, new: int) -> Iterator[DiffRow]:
    """Yield the first of the lines that are only further to the right."""
    shown = len(lines) if len(lines) == _SHOWN + 1 else min(_SHOWN, len(lines))
    for n in range(shown):
        yield _row(" ", hunk.first + lines[n], hunk.new[new + n])
    if shown < len(lines):
        text = hunk.new[new]
        indent = text[: len(text) - len(text.lstrip())]
        first, last = hunk.first + lines[shown], hunk.first + lines[-1]
        yield _row(" ", first, f"{indent}… lines {first}–{last} indented")


def _row(sign: Sign, line: int, text: str) -> DiffRow:
    return {"sign": sign, "line": line, "text": text.rstrip("\r")}
