"""Which modules are ours, by the root of their names."""

from __future__ import annotations

OWN = __name__.partition(".")[0]
SIMULATOR = "gpu_simulator"
"""The simulated GPU: a package of its own, which is known by this name alone."""
OURS = frozenset({OWN, SIMULATOR})
