"""Programs whose memory is compared: each runs unchanged on both sides."""

from __future__ import annotations

from pathlib import Path

from . import (
    checkpointing,
    devices,
    everyday,
    layers,
    libraries,
    models,
    optimizers,
    out_of_memory,
    precision,
    trainings,
)
from .program import Program

FOLDER = Path(__file__).parent
FAMILIES = tuple(
    family.COLLECTION
    for family in (
        models,
        libraries,
        out_of_memory,
        devices,
        checkpointing,
        precision,
        optimizers,
        trainings,
        layers,
        everyday,
    )
)
PROGRAMS: dict[str, Program] = {
    program.name: program for family in FAMILIES for program in family.programs
}

__all__ = ["FAMILIES", "FOLDER", "PROGRAMS", "Program"]
