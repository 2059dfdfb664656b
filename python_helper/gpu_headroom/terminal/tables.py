"""Plain tables for terminals and scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text.format import format_bytes
from ..text.messages import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_GAP = "  "


class Text(str):
    """Lines that a notebook or a terminal displays without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the lines themselves."""
        return str(self)


def heads(message_id: str, texts: Mapping[str, str] | None = None) -> list[str]:
    """Return the column heads of a table, from a message that separates them by bars."""
    return [title.strip() for title in say(message_id, texts).split("|")]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: int = 1) -> str:
    """Align columns under their heads: left-aligned, from column `right` on right-aligned.

    A column with an empty head is hidden where all of its cells are empty.
    """
    lines = [tuple(head), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths, right) for line in lines)


def size(size_bytes: int | None) -> str:
    """Return a size as text; `None` is not measured."""
    return say("report.not_measured") if size_bytes is None else format_bytes(size_bytes)


def _line(cells: Sequence[str], widths: Sequence[int], right: int) -> str:
    aligned = (
        cell.rjust(width) if column >= right else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return _GAP.join(aligned).rstrip()
