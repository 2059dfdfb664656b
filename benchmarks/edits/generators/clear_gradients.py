"""Trainings of all sorts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


def program(draw: Draw) -> str:
    """Write a training."""
    draw.mostly(0.7, zero="before backward")
    return training(draw).writing.text({})
