"""JAX arrays: one buffer per device, identified by its address.

Every attribute read here is jaxlib's or JAX's own. Nothing is read before a backend is initialized:
that would start one, which takes most of the GPU's memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..imported import imported
from ..storage import Storage

if TYPE_CHECKING:
    from collections.abc import Iterator

_GPUS = frozenset({"gpu", "cuda", "rocm"})


class JaxArrays:
    """Concrete arrays; JAX's tracers hold no memory and are not included."""

    def __init__(self, kind: Any) -> None:
        self.kinds: tuple[type, ...] = (kind,)
        self._kind = kind

    def storages(self, array: Any) -> Iterator[Storage]:
        """Yield the buffer on each device that this process can address."""
        try:
            if self._kind.is_deleted(array):
                return
            for shard in self._kind._arrays.__get__(array):  # noqa: SLF001 — `addressable_shards` would make new arrays
                device = next(iter(self._kind.devices(shard)))
                if device.platform in _GPUS:
                    yield Storage(
                        key=self._kind.unsafe_buffer_pointer(shard),
                        device_index=device.local_hardware_id or 0,
                        bytes=self._kind.on_device_size_in_bytes(shard),
                        shape=tuple(self._kind.shape.__get__(shard)),
                        dtype=str(self._kind.dtype.__get__(shard)),
                        framework="jax",
                    )
        except (RuntimeError, ValueError, TypeError, AttributeError):
            return  # deleted or donated meanwhile


def arrays() -> JaxArrays | None:
    """Return JAX's arrays if one of its backends is initialized, else `None`."""
    bridge = imported("jax._src.xla_bridge")
    module = imported("jax._src.array")
    if module is None or not getattr(bridge, "_backends", None):
        return None
    kind = getattr(module, "ArrayImpl", None)
    return JaxArrays(kind) if kind is not None else None
