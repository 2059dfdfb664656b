"""The lines in which two texts differ, as few as can be, and as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from ..protocol.wire import DiffRow

    Sign = Literal[" ", "-", "+"]

_AHEAD = 30
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
    return [
        Hunk(a + 1, old[a:b], c + 1, new[c:d]) for same, a, b, c, d in _runs(old, new) if not same
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
    for same, a, b, c, d in _runs(old, new):
        if same:
            yield from _indented(hunk, range(a, b), c)
            continue
        for n in range(a, b):
            yield _row("-", hunk.first + n, hunk.old[n])
        for n in range(c, d):
            yield _row("+", hunk.new_first + n, hunk.new[n])


def _runs(old: list[str], new: list[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Yield the runs of lines that are the same, or not, in both: where they begin and end.

    Looks a few lines ahead for where the texts meet again, so it takes no more than a pass; what
    compares all lines with each other takes minutes for thousands that are alike.
    """
    a = c = 0
    while a < len(old) or c < len(new):
        b, d = a, c
        while b < len(old) and d < len(new) and old[b] == new[d]:
            b, d = b + 1, d + 1
        if b > a:
            yield True, a, b, c, d
        a, c = b, d
        while (b < len(old) or d < len(new)) and (step := _to_meet(old, new, b, d)) != (0, 0):
            b, d = b + step[0], d + step[1]
        if (b, d) != (a, c):
            yield False, a, b, c, d
        a, c = b, d


def _to_meet(old: list[str], new: list[str], a: int, c: int) -> tuple[int, int]:
    """Return how many lines to pass over in each text, none where they are the same."""
    if a == len(old) or c == len(new):
        return len(old) - a, len(new) - c
    for k in range(_AHEAD):
        if old[a : a + 1] == new[c + k : c + k + 1]:
            return 0, k
        if old[a + k : a + k + 1] == new[c : c + 1]:
            return k, 0
    return 1, 1


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
