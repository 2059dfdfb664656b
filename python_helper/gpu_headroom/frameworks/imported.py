"""What this process has imported already: the only way to a framework."""

from __future__ import annotations

import sys
from typing import Any

from ..own import SIMULATOR


def imported(name: str) -> Any:
    """Return a module that is imported whole, else `None`."""
    module = sys.modules.get(name)
    if module is None or getattr(getattr(module, "__spec__", None), "_initializing", False):
        return None
    return module


def simulation() -> Any:
    """Return the simulated GPU that is in use, `None` without one."""
    simulator = imported(f"{SIMULATOR}.simulation")
    return None if simulator is None else simulator.Simulation.active()
