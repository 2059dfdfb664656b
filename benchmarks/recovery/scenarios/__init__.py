"""The notebooks of the recovery benchmark, and which of their variables are the user's.

They run on a simulated GPU and on a real one as they stand.
"""

from __future__ import annotations

from . import concurrent, errors, functions, generators, notebook, training
from .scenario import PRELUDE, PRELUDE_KEPT_MIB, PRELUDE_VARIABLES, Scenario

SCENARIOS: tuple[Scenario, ...] = (
    *functions.SCENARIOS,
    *generators.SCENARIOS,
    *errors.SCENARIOS,
    *notebook.SCENARIOS,
    *training.SCENARIOS,
    *concurrent.SCENARIOS,
)

__all__ = ["PRELUDE", "PRELUDE_KEPT_MIB", "PRELUDE_VARIABLES", "SCENARIOS", "Scenario"]
