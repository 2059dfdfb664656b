"""JAX's allocator on CUDA and ROCm. Declared, not run on a GPU; its guards ran on the CPU build.

`jax.live_arrays()`, `jax.devices()` and similar start a backend, which on a GPU takes most of its
memory; so the running backends are looked up where JAX keeps them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...text.messages import message
from ..imported import imported
from ..view import Cache, FrameworkReading, View
from . import TITLE

if TYPE_CHECKING:
    from ...protocol.generated import wire

_GPUS = ("cuda", "rocm", "gpu")
_NO = ("false", "0")

TEXTS = {"item.framework_cache.jax": "What JAX has compiled"}


class Jax:
    """Source for JAX; devices of this process only, as others cannot be read."""

    def state(self) -> wire.State:
        """Return whether JAX has started a GPU backend, from its table of backends."""
        bridge = imported("jax._src.xla_bridge")
        if imported("jax") is None or bridge is None:
            return "no_framework"
        backends = getattr(bridge, "_backends", None)
        if not backends:
            return "not_initialised"
        return "live" if any(name in _GPUS for name in list(backends)) else "no_gpu"

    def read(self) -> tuple[View, ...]:
        """Read each device whose allocator keeps statistics; others are not measured."""
        bridge = imported("jax._src.xla_bridge")
        backends = dict(getattr(bridge, "_backends", {}))
        devices = [
            device
            for name, backend in backends.items()
            if name in _GPUS
            for device in backend.local_devices()
        ]
        return tuple([view for device in devices if (view := _view(device)) is not None])

    def caches(self) -> tuple[Cache, ...]:
        """Return the cache of compiled functions."""
        title, cost = message("item.framework_cache.jax", TEXTS), message("item.compiled.cost")
        return (Cache(title, cost, imported("jax").clear_caches, "_jax.clear_caches()"),)


SOURCE = Jax


def _view(device: Any) -> View | None:
    stats = device.memory_stats()
    if not stats or "bytes_in_use" not in stats:
        return None
    index = device.local_hardware_id
    in_use, limit = stats["bytes_in_use"], _known(stats, "bytes_limit")
    preallocated = _preallocates()
    pool = _known(stats, "pool_bytes")
    if pool is None and preallocated:
        pool = limit  # XLA takes all that it may take at start
    cached = None if pool is None else max(0, pool - in_use)
    notes: tuple[wire.Message, ...] = ()
    if preallocated and pool is not None:
        notes = (message("note.preallocated", framework=TITLE, pool_bytes=pool),)
    return View(
        index=device.id if index is None else index,
        backend="rocm" if "rocm" in str(device.client.platform_version).lower() else "cuda",
        name=device.device_kind,
        limit_bytes=limit,
        limit_source="memory_stats()",
        framework=FrameworkReading(
            name="jax",
            in_use_bytes=in_use,
            cached_bytes=cached,
            peak_in_use_bytes=_known(stats, "peak_bytes_in_use"),
            preallocated=preallocated,
        ),
        notes=notes,
    )


def _known(stats: dict[str, int], key: str) -> int | None:
    value = stats.get(key, -1)
    return value if value >= 0 else None  # -1 is "not set" in PJRT's C interface


def _preallocates() -> bool:
    """Whether XLA takes its pool at start, the default ("GPU memory allocation", JAX docs)."""
    allocator = os.environ.get("XLA_PYTHON_CLIENT_ALLOCATOR", "default").lower()
    wanted = os.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE", "true").lower() not in _NO
    return wanted and allocator in ("default", "bfc")
