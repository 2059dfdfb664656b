"""The numbers of the moment of failure, from the best source there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..frameworks.torch.private import LIMIT
from ..frameworks.view import driver_call

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..errors.recognise import Recognition
    from ..errors.statement import Statement
    from ..frameworks.torch.observer import Capture
    from ..frameworks.view import FrameworkReading
    from ..readings.snapshot import DeviceReading


ERROR = "error message"  # as a source: no call, but what the error itself prints
_WHOLE = 0.99  # of a GPU, whose size two calls may tell a little differently
_PRINTED = 0.01  # how exact the numbers in an error are


@dataclass(frozen=True, slots=True)
class FailureMemory:
    """One device when the request failed, in bytes; `None` for unknown values.

    `free_bytes` is the driver's number; `usable_bytes` the part of it that this process could
    allocate, less than all with a memory fraction; `beside_bytes` the part of the cache that other
    frameworks have. `source` is the call that returned the bytes in use and reserved, or `ERROR`;
    the other two sources are the calls for capacity and free memory, empty if there was none.
    """

    capacity_bytes: int | None
    free_bytes: int | None
    usable_bytes: int | None
    in_use_bytes: int | None
    cached_bytes: int | None
    outside_bytes: int | None
    source: str
    capacity_source: str = ""
    free_source: str = ""
    beside_bytes: int = 0

    @property
    def unallocated_bytes(self) -> int | None:
        """Bytes that the failed framework had cached."""
        return None if self.cached_bytes is None else self.cached_bytes - self.beside_bytes

    @property
    def headroom_bytes(self) -> int | None:
        """Bytes left before freeing anything: an upper bound, as they may be fragmented."""
        if self.usable_bytes is None:
            return None
        return self.usable_bytes + (self.unallocated_bytes or 0)

    @property
    def kept_back_bytes(self) -> int:
        """Bytes that a memory fraction withholds from PyTorch; 0 if unknown."""
        return (self.free_bytes or 0) - (self.usable_bytes or 0)


def failure_memory(
    recognition: Recognition, capture: Capture | None, device: DeviceReading | None
) -> FailureMemory:
    """Return the observer's numbers, else those measured after the error, else the printed ones.

    What has come back since the failure is in the printed ones only.
    """
    if capture is not None:
        return from_capture(capture, device)
    printed_bytes = recognition.said.in_use_bytes or 0
    if device is not None and printed_bytes - device.in_use_bytes <= _PRINTED * printed_bytes:
        return from_device(device, recognition.said.framework)
    return from_statement(recognition.said)


def from_device(device: DeviceReading, name: str = "torch") -> FailureMemory:
    """Return the numbers measured when the error had come out of the cell of framework `name`."""
    cached = device.cached_bytes
    limit = device.capacity_bytes if device.capacity_limited else None
    return FailureMemory(
        capacity_bytes=device.capacity_bytes,
        free_bytes=device.free_bytes,
        usable_bytes=_usable(limit, device.free_bytes, device.in_use_bytes + cached),
        in_use_bytes=device.in_use_bytes,
        cached_bytes=cached,
        outside_bytes=device.outside_bytes,
        source=" + ".join([framework.source for framework in device.frameworks]),
        capacity_source=device.capacity_source,
        free_source=device.free_source,
        beside_bytes=sum(framework.cached_bytes or 0 for framework in _beside(device, name)),
    )


def from_capture(capture: Capture, device: DeviceReading | None) -> FailureMemory:
    """Return PyTorch's numbers, and of other frameworks in this process those after the error."""
    in_use = _current(capture.stats, "allocated_bytes")
    reserved = _current(capture.stats, "reserved_bytes")
    frameworks = [] if device is None else _beside(device, "torch")
    cached = sum(framework.cached_bytes or 0 for framework in frameworks)
    pools = cached + sum(framework.in_use_bytes for framework in frameworks)
    capacity = capture.capacity_bytes
    outside: int | None = max(0, capacity - capture.free_bytes - reserved - pools)
    source = driver = driver_call("cuda" if device is None else device.backend)
    limit: int | None = capacity
    if device is not None and (device.capacity_limited or device.shared_with_host):
        outside, source = device.outside_bytes, device.capacity_source
    elif device is not None and capacity < _WHOLE * (device.capacity_bytes or 0):
        # PyTorch up to 2.5 tells of a limit only when it is reached.
        outside, source = device.outside_bytes, LIMIT
    elif device is not None:
        limit = None  # Windows may have lent more than the GPU has
    return FailureMemory(
        capacity_bytes=capacity,
        free_bytes=capture.free_bytes,
        usable_bytes=_usable(limit, capture.free_bytes, reserved),
        in_use_bytes=in_use + pools - cached,
        cached_bytes=reserved - in_use + cached,
        outside_bytes=outside,
        source=" + ".join(["memory_stats()", *[framework.source for framework in frameworks]]),
        capacity_source=source,
        free_source=driver,
        beside_bytes=cached,
    )


def from_statement(said: Statement) -> FailureMemory:
    """Return the printed numbers, rounded as they are."""
    capacity, free, reserved = said.capacity_bytes, said.free_bytes, said.reserved_bytes
    outside = None
    if capacity is not None and free is not None and reserved is not None:
        outside = max(0, capacity - free - reserved)
    return FailureMemory(
        capacity_bytes=capacity,
        free_bytes=free,
        usable_bytes=_usable(said.allowed_bytes, free, reserved or 0),
        in_use_bytes=said.in_use_bytes,
        cached_bytes=said.unallocated_bytes,
        outside_bytes=outside,
        source=ERROR,
        capacity_source=ERROR,
        free_source=ERROR,
    )


def _beside(device: DeviceReading, name: str) -> list[FrameworkReading]:
    """Return the frameworks of this process besides the one that failed, where that is known."""
    readings = [reading for reading in device.frameworks if reading.name != name]
    return readings if len(readings) < len(device.frameworks) else []


def _usable(limit: int | None, free: int | None, reserved: int) -> int | None:
    """A memory fraction limits what PyTorch may reserve, however much the driver has."""
    if free is None or limit is None:
        return free
    return min(free, max(0, limit - reserved))


def _current(stats: Mapping[str, Any], key: str) -> int:
    return int(stats.get(key, {}).get("all", {}).get("current", 0))
