"""Which modules are ours, by the root of their names."""

from __future__ import annotations

from importlib import import_module
from typing import Any

OWN = __name__.partition(".")[0]
SIMULATOR = "gpu_simulator"
"""The simulated GPU: a package of its own, which is known by this name alone."""
OURS = frozenset({OWN, SIMULATOR, "gpu_dry_run"})


def bring(name: str) -> Any:
    """Return a module of ours that may be missing, as its wing or its pack is.

    A name that begins with a dot is within this package. A person may have a module called
    `gpu_headroom`: what is installed beside that is none of ours.
    """
    try:
        return import_module(name, OWN)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in {*OURS, "gpu_headroom"}:
            raise
        return None
