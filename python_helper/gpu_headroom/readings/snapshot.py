"""One reading of the GPUs, immutable so that threads can share it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from ..frameworks.view import DeviceFacts, shallow

if TYPE_CHECKING:
    from ..frameworks.view import FrameworkReading
    from ..protocol.generated import wire


@dataclass(frozen=True, slots=True)
class DeviceReading(DeviceFacts):
    """One GPU as this kernel sees it, in bytes; `None` is not measured."""

    capacity_bytes: int | None = None
    capacity_limited: bool = False
    free_bytes: int | None = None
    outside_bytes: int | None = None
    frameworks: tuple[FrameworkReading, ...] = ()
    notes: tuple[wire.Message, ...] = ()
    # Calls from which capacity and free came, empty if not measured; shown in reports only.
    capacity_source: str = field(default="", compare=False)
    free_source: str = field(default="", compare=False)

    @property
    def in_use_bytes(self) -> int:
        """Bytes in live tensors, over all frameworks."""
        return sum(framework.in_use_bytes for framework in self.frameworks)

    @property
    def cached_bytes(self) -> int:
        """Bytes that the frameworks' allocators keep unused."""
        return sum(framework.cached_bytes or 0 for framework in self.frameworks)

    @property
    def peak_in_use_bytes(self) -> int | None:
        """The framework's peak counter; `None` with several frameworks.

        Their peaks may be at different times.
        """
        if len(self.frameworks) == 1:
            return self.frameworks[0].peak_in_use_bytes
        return None if self.frameworks else 0

    @property
    def allocated_total_bytes(self) -> int | None:
        """All bytes that were ever allocated, over all frameworks."""
        totals = [framework.allocated_total_bytes for framework in self.frameworks]
        counts = [total for total in totals if total is not None]
        return sum(counts) if counts and len(counts) == len(totals) else None

    @property
    def inactive_split_bytes(self) -> int:
        """Cached bytes beside blocks in use, which no flush of the cache can return."""
        return sum(framework.inactive_split_bytes or 0 for framework in self.frameworks)

    @property
    def used_bytes(self) -> int | None:
        """Outside + in use: the left number of the gauge; `None` where not measured."""
        if self.outside_bytes is None:
            return None
        return self.outside_bytes + self.in_use_bytes

    @property
    def headroom_bytes(self) -> int | None:
        """Free + cached, an upper bound, limited by the capacity; `None` if not measured."""
        if self.free_bytes is None:
            return None
        headroom = self.free_bytes + self.cached_bytes
        if self.capacity_bytes is not None:
            return max(0, min(headroom, self.capacity_bytes - self.in_use_bytes))
        return headroom

    def as_wire(self) -> wire.Device:
        """Return the wire object of this reading."""
        device = {
            **shallow(self),
            "in_use_bytes": self.in_use_bytes,
            "cached_bytes": self.cached_bytes,
            "used_bytes": self.used_bytes,
            "headroom_bytes": self.headroom_bytes,
            "frameworks": [framework.as_wire() for framework in self.frameworks],
            "notes": list(self.notes),
        }
        del device["capacity_source"], device["free_source"]
        return cast("wire.Device", device)


@dataclass(frozen=True, slots=True)
class HostReading:
    """The kernel's own host memory and the host's, in bytes; `None` is not measured.

    Available and total are a container's where it has a limit; that limit does not apply to what a
    GPU takes of the machine's memory. `oom_kills` counts the processes that the system has killed
    because memory ran out, in the kernel's control group where there is one.
    """

    rss_bytes: int | None
    available_bytes: int | None
    total_bytes: int | None
    oom_kills: int | None = None
    machine_available_bytes: int | None = None
    machine_total_bytes: int | None = None

    def as_wire(self) -> wire.HostMemory:
        """Return the wire object of this reading."""
        reading = shallow(self)
        del reading["machine_available_bytes"], reading["machine_total_bytes"]
        return cast("wire.HostMemory", reading)


@dataclass(frozen=True, slots=True)
class DeviceSnapshot:
    """All devices at one moment; `state` is the reason where there are none."""

    seq: int
    time_s: float
    state: wire.State
    devices: tuple[DeviceReading, ...]
    host: HostReading | None = None

    def device(self, index: int) -> DeviceReading | None:
        """Return the device with the framework's index `index`; `None` without one."""
        return next((device for device in self.devices if device.index == index), None)
