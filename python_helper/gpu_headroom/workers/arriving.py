"""How the helper gets into a process that lacks it, and out again.

The text of this module goes there by value: it is executed before anything of ours is there.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
from typing import Any

_NAMES = "gpu_headroom", "_gpu_headroom"  # as `injection.bring` calls it


def begin(pack: tuple[bytes, str, str], module: str, *given: Any) -> str:
    """Bring the helper and have a module of it begin; return what stood against it, else nothing.

    Raises nothing: in an engine it would be taken for an error of the person's.
    """
    try:
        package = brought(*pack)
        importlib.import_module(f"{package}.{module}").begin(*given)
    except Exception as error:  # noqa: BLE001  see above
        return f"{type(error).__name__}: {error}"
    return ""


def hook_of(pack: tuple[bytes, str, str], module: str) -> Any:
    """Return a function that does so, for whoever calls it in each process that it starts."""

    def gpu_headroom() -> None:
        begin(pack, module)

    return gpu_headroom


def end(module: str) -> None:
    """Have it end where it has begun, and leave nothing of what was brought."""
    for name in _NAMES:
        begun = sys.modules.get(f"{name}.{module}")
        if begun is not None:
            begun.end()
            forget(name)


def asked(module: str, function: str) -> Any:
    """Return what a module says that has begun here; nothing is there to say where it has not."""
    begun = next(
        (sys.modules[f"{name}.{module}"] for name in _NAMES if f"{name}.{module}" in sys.modules),
        None,
    )
    return {"status": "nothing"} if begun is None else getattr(begun, function)()


def brought(packed: bytes, major: str, version: str) -> str:
    """Have the helper in this process, installed or from what was sent; return its name."""
    import bz2

    sources = json.loads(bz2.decompress(packed))
    path = "kernel/injection.py"
    space: dict[str, Any] = {"__name__": "gpu_headroom.kernel.injection"}
    exec(compile(sources[path], f"<gpu_headroom>/{path}", "exec"), space)  # noqa: S102  as the bootstrap
    name: str = space["bring"](sources, major, version)
    return name


def forget(package: str) -> None:
    """Leave nothing of what was brought: neither modules nor what finds them."""
    finder = getattr(sys.modules[package].__spec__, "loader", None)
    if finder in sys.meta_path:
        # Another list: whoever imports on another thread goes on through that one.
        sys.meta_path = [entry for entry in sys.meta_path if entry is not finder]
        for name in [module for module in sys.modules if module.partition(".")[0] == package]:
            del sys.modules[name]


def given_back() -> dict[str, Any]:
    """Return what the safe set of this process gave back: garbage, and what is cached unused."""
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
