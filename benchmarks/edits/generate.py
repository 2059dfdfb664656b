"""Small random training programs, made of `pieces` that people write.

`generators/<kind>.py` has `program(draw) -> text`: it writes a program of pieces and says what the
edit is about in it, and which line runs out of memory.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.edits.pieces.draw import Draw
from benchmarks.edits.program import Program, parse

FOLDER = Path(__file__).with_name("generators")


def kinds_generated() -> list[str]:
    """Return the kinds that have a generator."""
    return sorted(each.stem.replace("_", "-") for each in FOLDER.glob("[a-z]*.py"))


def generated(kind: str, seed: int, attempt: int = 0) -> Program:
    """Return the program of a seed; another attempt is another program."""
    module: Any = import_module(f"benchmarks.edits.generators.{kind.replace('-', '_')}")
    text: str = module.program(Draw(f"{seed}.{attempt}"))
    return parse(kind, str(seed), text)
