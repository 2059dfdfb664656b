"""Trainings with a size of the batch that can be made smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


def program(draw: Draw) -> str:
    """Write a training whose batch is to be smaller."""
    if draw.pick("how", ["loader"] * 4 + ["other"]) == "loader":
        draw.force(loader="loader")
    else:
        draw.force(**{"size name": draw.pick("its name", ["BATCH_SIZE", "batch_size", "bs"])})
    made = training(draw, within_loop=["seen[0] += len({x})"])
    made.writing.cells[1] += "\nseen = [0]"
    return made.writing.text({"value": made.data.size, "line": made.writing.marked("batch")})
