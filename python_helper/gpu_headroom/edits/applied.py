"""A text once edits are made in it, where no page makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..protocol.wire import Edit


def applied(source: str, edits: Iterable[Edit]) -> str:
    """Return a cell's text once these edits are made, which were proven on it."""
    lines = source.split("\n")
    # From the last line up, so that earlier edits keep their line numbers.
    for edit in sorted(edits, key=lambda each: each["first_line"], reverse=True):
        first = edit["first_line"] - 1
        lines[first : first + len(edit["old_lines"])] = edit["new_lines"]
    return "\n".join(lines)
