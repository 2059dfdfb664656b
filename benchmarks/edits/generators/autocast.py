"""Trainings of all sorts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.edits.pieces.training import training

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw


def program(draw: Draw) -> str:
    """Write a training."""
    # On the CPU autocast leaves double precision alone.
    # How close results are is told of trainings that do not blow up a rounding error.
    draw.force(
        dtype="float32",
        loss=draw.pick("calm loss", ["mean", "functional", "cross", "none", "own"]),
        optimizer="SGD",
        schedule=draw.pick("calm schedule", ["none", "epoch", "step"]),
        regulariser=draw.pick("calm regulariser", ["", "", " + 0.01 * {out}.pow(2).mean()"]),
        control=draw.pick("calm control", ["none", "skip", "print"]),
    )
    return training(draw).writing.text({})
