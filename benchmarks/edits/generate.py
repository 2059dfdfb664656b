"""Small random training programs, made of pieces that people write."""

from __future__ import annotations

from benchmarks.edits.program import Program, parse


def generated(kind: str, seed: int) -> Program:
    """Return the program of a seed for a kind."""
    return parse(kind, str(seed), "")
