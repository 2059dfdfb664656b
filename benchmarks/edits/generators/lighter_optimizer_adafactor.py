"""Trainings of all sorts, most of them with Adam."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


def program(draw: Draw) -> str:
    """Write a training."""
    draw.mostly(0.8, optimizer="Adam")
    return training(draw).writing.text({})
