"""Trainings of models that are made of blocks, or of a list of layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


def program(draw: Draw) -> str:
    """Write a training of such a model."""
    kind = draw.pick("kind", ["mlp", "norm", "dropout", "conv", "blocks", "blocks"])
    draw.force(model=kind)
    made = training(draw)
    about = {} if kind == "blocks" else {"model": made.names.model}
    return made.writing.text(about)
