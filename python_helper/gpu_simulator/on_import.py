"""`GPU_HEADROOM_SIMULATE=16GiB`: the simulation begins when the user's program imports PyTorch."""

from __future__ import annotations

import sys
import warnings
from importlib.abc import Loader, MetaPathFinder
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

ENVIRONMENT_VARIABLE = "GPU_HEADROOM_SIMULATE"


def install_on_import(spec: str) -> None:
    """Simulate a GPU as soon as PyTorch is imported, or now if it is imported already.

    `spec` is the value of the environment variable GPU_HEADROOM_SIMULATE: a capacity, and after a
    comma the way to compute, such as "16GiB", "4GiB,cpu" or "16GiB*2" for two. PyTorch is not
    imported here. An invalid `spec` causes a warning, and never breaks the import.
    """
    if "torch" in sys.modules:
        _start(spec)
    elif not any(isinstance(finder, _TorchHook) for finder in sys.meta_path):
        sys.meta_path.insert(0, _TorchHook(spec))


def _start(spec: str) -> None:
    from . import simulate

    capacity, _, compute = spec.partition(",")
    try:
        simulate(capacity.strip(), compute=compute.strip() or "meta")
    except (TypeError, ValueError, RuntimeError, ImportError) as error:
        warnings.warn(
            f"No GPU is simulated, although {ENVIRONMENT_VARIABLE} is {spec!r}. {error}",
            RuntimeWarning,
            stacklevel=2,
        )


class _TorchHook(MetaPathFinder, Loader):
    """Finds PyTorch once, as the other finders do, loads it as its own loader does, and starts."""

    _loader: Loader

    def __init__(self, spec: str) -> None:
        self._spec = spec

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return PyTorch's own spec with this as its loader."""
        del path, target
        if fullname != "torch":
            return None
        # A new list: changed in place, another thread's import would skip a finder.
        sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
        spec = find_spec("torch")
        if spec is not None and spec.loader is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module as its own loader does."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module as its own loader does, and then start."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _start(self._spec)
