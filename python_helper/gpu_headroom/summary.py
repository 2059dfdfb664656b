"""The state of the GPUs in words, for places without a gauge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .format import format_bytes

if TYPE_CHECKING:
    from .snapshot import DeviceReading, Snapshot

_STATES = {
    "no_framework": "No GPU framework is loaded yet.",
    "not_initialised": "PyTorch has not used the GPU yet.",
    "no_gpu": "This PyTorch has no GPU.",
    "live": "No GPU is in use yet.",
}


def summarise(snapshot: Snapshot | None) -> str:
    """Say what is in use, cached, outside and free: one line per GPU."""
    if snapshot is None:
        return "The GPU could not be read."
    if not snapshot.devices:
        return _STATES[snapshot.state]
    return "\n".join(_line(device) for device in snapshot.devices)


def _line(device: DeviceReading) -> str:
    unnamed = "simulated" if device.simulated else "unnamed"
    title = f"GPU {device.index}, {device.name or unnamed}"
    parts = (
        f"{_size(device.in_use_bytes)} in use",
        f"{_size(device.cached_bytes)} cached",
        f"{_size(device.outside_bytes)} outside",
        f"{_size(device.free_bytes)} free",
    )
    return f"{title}: {', '.join(parts)} of {_size(device.capacity_bytes)}"


def _size(size_bytes: int | None) -> str:
    return "not measured" if size_bytes is None else format_bytes(size_bytes)
