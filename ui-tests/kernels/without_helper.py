"""Start a kernel in which `import gpu_headroom` finds nothing.

Python then answers as it does in an environment where the package was never
installed, so the extension has to bring the helper along.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

WHEEL = ("gpu_dry_run", "gpu_headroom", "gpu_simulator")


class PathFinderWithoutHelper(PathFinder):
    """Python's own path finder, blind to what the wheel brings."""

    @classmethod
    def find_spec(
        cls,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Find a module as ever, or None for those."""
        return None if fullname in WHEEL else super().find_spec(fullname, path, target)


if __name__ == "__main__":
    from ipykernel.kernelapp import launch_new_instance

    sys.meta_path[sys.meta_path.index(PathFinder)] = PathFinderWithoutHelper
    # A kernel looks beside its notebook first, not beside this script.
    sys.path[0] = ""
    launch_new_instance()
