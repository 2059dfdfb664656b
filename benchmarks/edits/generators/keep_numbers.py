"""Trainings that keep what has a graph, to look at it or to train with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw

_NAMES = {
    "tensors": "losses",
    "outputs": "outs",
    "total": "total",
    "graphs in a dict": "logs['loss']",
    "penalties": "penalties",
    "all penalties": "terms",
    "carried": "carried",
}


def program(draw: Draw) -> str:
    """Write a training whose graphs pile up under a name."""
    kept = draw.pick("kept", list(_NAMES))
    draw.force(log=kept, logs=draw.pick("how many logs", [1, 1, 2]))
    if kept == "penalties":
        draw.force(logged="before backward")
    made = training(draw)
    return made.writing.text({"name": _NAMES[kept]})
