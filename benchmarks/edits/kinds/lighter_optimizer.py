"""An optimizer handles one parameter after the other: weights, its state and all else are equal.

`trained` of the header says that an optimizer had made steps before the failing cell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_headroom.edits.optimizer import one_by_one

from benchmarks.edits.compare import differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.code.gate import Gate
    from gpu_headroom.code.notebook import CellCode
    from gpu_headroom.edits.rewrite import Rewrite
    from gpu_headroom.protocol.wire import Message

    from benchmarks.edits.program import Program
    from benchmarks.edits.trial import Outcome


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Change the only optimizer of a cell."""
    del live
    return in_first_cell(program, one_by_one(has_stepped=program.about.get("trained", False)))


def in_first_cell(program: Program, rewrite: Rewrite) -> Mapping[str, Rewrite]:
    """Change the failing cell, or the last of the others that it holds in."""
    for key in (program.failing, *reversed(list(program.cells))):
        if rewrite(program.cells[key]) is not None:
            return {key: at_the_first_step(rewrite)}
    return {}


def at_the_first_step(rewrite: Rewrite) -> Rewrite:
    """Return a rewrite that is asked as it was at the failure, when no step had been made."""

    def asked(gate: Gate, cell: CellCode) -> Message | None:
        before = type(gate)(gate.notebook, replace(gate.live, stepped=frozenset()))
        return rewrite.objection(before, cell)

    return replace(rewrite, asks=(asked,))


def same(before: Outcome, after: Outcome) -> list[str]:
    """Return what differs, but for the flag itself."""
    found = differences(before, after)
    return [each for each in found if ".foreach:" not in each]
