"""Weights, schedules and logs after each step of the optimizer are those of the large batch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gpu_headroom.advice.remedies.accumulate import COUNTERS, parts_of_a_batch
from gpu_headroom.code.find import names
from gpu_headroom.code.gate import Gate
from gpu_headroom.code.literals import literals_in
from gpu_headroom.code.notebook import Notebook
from gpu_headroom.code.parsing import parse_cell

from benchmarks.edits.kinds import cell_runs, way_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpu_headroom.code.facts import Live
    from gpu_headroom.edits.rewrite import Rewrite

    from benchmarks.edits.program import Program

CHANGES: set[str] = set()
"""What a loop over batches leaves behind, and the number and the loader of its batches."""
GRADIENTS = False


def edit(program: Program, live: Live) -> Mapping[str, Rewrite]:
    """Make it as the remedy does: of the first cell that it changes."""
    cells = cell_runs(program)
    about = program.about
    found = [
        literal
        for cell in cells
        for literal in literals_in(cell, cell.source)
        if literal.name == about["batch"] and literal.value > about["value"]
    ]
    if not found:
        return {}
    batch = found[-1 if about.get("last") else 0]
    CHANGES.clear()
    CHANGES.update(_changes(program), {batch.name}, COUNTERS)
    gate = Gate(Notebook.of(program.cells.items()), live)
    cells.sort(key=lambda each: each.key != program.failing)
    way = way_of(program)
    for changes in parts_of_a_batch(batch, about["value"], cells, gate, way):
        if all(rewrite(cell.source) is not None for cell, _, rewrite in changes):
            return {cell.key: rewrite for cell, _, rewrite in changes}
    return {}


def _changes(program: Program) -> set[str]:
    """Return what loops bind that train, settings, and loaders."""
    found: set[str] = set()
    for text in program.cells.values():
        tree = parse_cell(text)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.For) and ".backward()" in ast.unparse(node):
                found |= names(node, ast.Store)
            if isinstance(node, ast.Assign) and "batch_size" in ast.unparse(node):
                found |= names(node, ast.Store)
    return found
