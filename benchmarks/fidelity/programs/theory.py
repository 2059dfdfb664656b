"""The programs whose bytes `tests/simulator/test_programs.py` holds to theory, too."""

from __future__ import annotations

from functools import partial

from tests.simulator.test_programs import PROGRAMS, run

from .program import Collection

COLLECTION = Collection("Held to theory")

for _name, _program in PROGRAMS.items():
    COLLECTION.add(_name.replace(" ", "_"), _name[0].upper() + _name[1:], partial(run, _program))
