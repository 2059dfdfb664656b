"""Root names of the helper's own modules."""

from __future__ import annotations

from importlib import import_module
from typing import Any

OWN = __name__.partition(".")[0]
SIMULATOR = "gpu_simulator"
"""The simulated GPU: a package of its own, which is known by this name alone."""
OURS = frozenset({OWN, SIMULATOR, "gpu_dry_run"})


def bring(name: str) -> Any:
    """Return a module of the helper; `None` if it is missing, as its wing or pack may be.

    A name that begins with a dot is within this package. A user's module may be called
    `gpu_headroom`: modules installed beside that do not count.
    """
    try:
        return import_module(name, OWN)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in {*OURS, "gpu_headroom"}:
            raise
        return None
