"""Gradients are those of the sum, and so is all that is trained with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_headroom.advice.remedies.backward_each import PARTS
from gpu_headroom.code.gate import Gate
from gpu_headroom.code.notebook import Notebook
from gpu_headroom.edits.backward_each import backward_each

from benchmarks.edits.kinds import cell_runs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program

CHANGES = set(PARTS)


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Make it as the remedy does: of the first cell that it changes."""
    gate = Gate(Notebook.of(program.cells.items()), live)
    part = gate.free_name(*PARTS) or PARTS[0]
    rewrite = backward_each(program.about["total"], (), part)
    cells = cell_runs(program)
    cells.sort(key=lambda each: each.key != program.failing)
    found = [cell.key for cell in cells if rewrite(cell.source) is not None]
    return dict.fromkeys(found[:1], rewrite)
