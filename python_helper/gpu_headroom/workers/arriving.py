"""Installation of the helper in a process that lacks it, and its removal.

The source of this module is sent by value and executed before the rest of the package exists there.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
from typing import Any

_NAMES = "gpu_headroom", "_gpu_headroom"  # the names that `injection.bring` uses


def begin(pack: tuple[bytes, str, str], module: str, *given: Any) -> str:
    """Install the helper and call `begin` of one of its modules; return the error text or `""`.

    Never raises: in an engine, an exception would appear as an error of the user's code.
    """
    try:
        package = brought(*pack)
        importlib.import_module(f"{package}.{module}").begin(*given)
    except Exception as error:  # noqa: BLE001  see the docstring
        return f"{type(error).__name__}: {error}"
    return ""


def hook_of(pack: tuple[bytes, str, str], module: str) -> Any:
    """Return a function that calls `begin`, to be run in each new worker process."""

    def gpu_headroom() -> None:
        begin(pack, module)

    return gpu_headroom


def end(module: str) -> None:
    """Call `end` of the module if it was started here, and remove the installed package."""
    for name in _NAMES:
        begun = sys.modules.get(f"{name}.{module}")
        if begun is not None:
            begun.end()
            forget(name)


def asked(module: str, function: str) -> Any:
    """Return the result of a function of the started module.

    `{"status": "nothing"}` if the module was not started in this process.
    """
    begun = next(
        (sys.modules[f"{name}.{module}"] for name in _NAMES if f"{name}.{module}" in sys.modules),
        None,
    )
    return {"status": "nothing"} if begun is None else getattr(begun, function)()


def brought(packed: bytes, major: str, version: str) -> str:
    """Make the helper importable, installed or from the sent sources; return its package name."""
    import bz2

    sources = json.loads(bz2.decompress(packed))
    path = "kernel/injection.py"
    space: dict[str, Any] = {"__name__": "gpu_headroom.kernel.injection"}
    exec(compile(sources[path], f"<gpu_headroom>/{path}", "exec"), space)  # noqa: S102  as the bootstrap
    name: str = space["bring"](sources, major, version)
    return name


def forget(package: str) -> None:
    """Remove the modules of an installed package, and their finder."""
    finder = getattr(sys.modules[package].__spec__, "loader", None)
    if finder in sys.meta_path:
        # Assign a new list: an import on another thread may be iterating over the old one.
        sys.meta_path = [entry for entry in sys.meta_path if entry is not finder]
        for name in [module for module in sys.modules if module.partition(".")[0] == package]:
            del sys.modules[name]


def given_back() -> dict[str, Any]:
    """Collect garbage and empty PyTorch's cache; return the freed and returned bytes."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return {"status": "nothing"}
    devices = range(cuda.device_count())

    def held() -> tuple[int, int]:
        return (
            sum(cuda.memory_allocated(device) for device in devices),
            sum(cuda.memory_reserved(device) for device in devices),
        )

    before = held()
    gc.collect()
    cuda.empty_cache()
    after = held()
    freed, returned = before[0] - after[0], before[1] - after[1]
    return {"status": "done", "freed_bytes": freed, "returned_bytes": returned}
