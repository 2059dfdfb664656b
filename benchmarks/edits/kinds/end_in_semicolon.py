"""All results and all later cells are equal; what a cell ends in is neither shown nor kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.garbage import not_displayed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program

CHANGES = ("_", "Out", "printed")


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:  # noqa: ARG001
    """Return the rewrites of the failing cell, or of all cells with lines of the header."""
    lines = program.about.get("cells")
    if lines is None:
        return {program.failing: not_displayed()}
    keys = [key for key, text in program.cells.items() if any(line in text for line in lines)]
    return dict.fromkeys(keys, not_displayed())
