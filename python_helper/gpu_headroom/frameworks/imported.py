"""Modules that this process has already imported: the only access to a framework."""

from __future__ import annotations

import sys
from typing import Any

from ..own import SIMULATOR


def imported(name: str) -> Any:
    """Return a completely imported module, else `None`."""
    module = sys.modules.get(name)
    if module is None or getattr(getattr(module, "__spec__", None), "_initializing", False):
        return None
    return module


def simulation() -> Any:
    """Return the active simulated GPU, `None` without one."""
    simulator = imported(f"{SIMULATOR}.simulation")
    return None if simulator is None else simulator.Simulation.active()
