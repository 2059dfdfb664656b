"""All results and all later cells are equal: of a list no more is kept than is ever read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.edits.cache import last_kept

from benchmarks.edits.compare import differences
from benchmarks.edits.kinds.keep_numbers import first_of, names_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Return the rewrite of the first cell that it holds in."""
    return first_of(program, live, map(last_kept, names_of(program.about["name"])))


def same(before: Outcome, after: Outcome) -> list[str]:
    """Return what differs, but for how many entries the list itself has."""
    return [each for each in differences(before, after) if "elements became" not in each]
