"""One reading of the GPUs, frozen so that threads can share it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from . import protocol


@dataclass(frozen=True, slots=True)
class FrameworkReading:
    """What one framework holds on one device, in bytes; `None` is not measured."""

    name: str
    in_use_bytes: int
    cached_bytes: int | None
    peak_in_use_bytes: int | None
    alloc_retries: int | None
    ooms: int | None


@dataclass(frozen=True, slots=True)
class DeviceReading:
    """One GPU as this kernel sees it, in bytes; `None` is not measured."""

    index: int
    name: str | None
    uuid: str | None
    simulated: bool
    capacity_bytes: int | None
    capacity_limited: bool
    free_bytes: int | None
    outside_bytes: int | None
    frameworks: tuple[FrameworkReading, ...]

    @property
    def in_use_bytes(self) -> int:
        """Bytes in live tensors, over all frameworks."""
        return sum(each.in_use_bytes for each in self.frameworks)

    @property
    def cached_bytes(self) -> int:
        """Bytes the frameworks' allocators keep without using them."""
        return sum(each.cached_bytes or 0 for each in self.frameworks)

    @property
    def used_bytes(self) -> int | None:
        """Outside + in use: the left number of the gauge."""
        if self.outside_bytes is None:
            return None
        return self.outside_bytes + self.in_use_bytes

    @property
    def headroom_bytes(self) -> int | None:
        """Free + cached, under a memory fraction at most what it leaves: an upper bound."""
        if self.free_bytes is None:
            return None
        headroom = self.free_bytes + self.cached_bytes
        if self.capacity_limited and self.capacity_bytes is not None:
            return max(0, min(headroom, self.capacity_bytes - self.in_use_bytes))
        return headroom

    def wire(self) -> protocol.Device:
        """Return this reading as it travels."""
        device = {
            **asdict(self),
            "in_use_bytes": self.in_use_bytes,
            "cached_bytes": self.cached_bytes,
            "used_bytes": self.used_bytes,
            "headroom_bytes": self.headroom_bytes,
            "frameworks": [asdict(each) for each in self.frameworks],
        }
        return cast("protocol.Device", device)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All devices at one moment; `state` says why there are none."""

    seq: int
    time_s: float
    state: protocol.State
    devices: tuple[DeviceReading, ...]

    def device(self, index: int) -> DeviceReading | None:
        """Return the device that the framework counts as `index`."""
        return next((each for each in self.devices if each.index == index), None)
