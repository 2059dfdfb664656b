"""What each framework says of the GPUs, read without importing or starting one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .. import wire
    from ..snapshot import DeviceReading

_BY_LIFE: tuple[wire.State, ...] = ("no_framework", "no_gpu", "not_initialised", "live")


class Source(Protocol):
    """One framework: may only look at what is already imported and initialised."""

    name: str

    def state(self) -> wire.State:
        """Say whether there is something to read, and why not; starts nothing."""

    def read(self) -> tuple[DeviceReading, ...]:
        """Read every device this framework uses; only asked while `live`."""


def read_all(sources: Sequence[Source]) -> tuple[wire.State, tuple[DeviceReading, ...]]:
    """Read the sources that are live and merge what they say per device."""
    states = {each.name: each.state() for each in sources}
    readings = [
        reading for each in sources if states[each.name] == "live" for reading in each.read()
    ]
    state = max(states.values(), key=_BY_LIFE.index) if states else _BY_LIFE[0]
    return state, tuple(_merge(readings))


def _merge(readings: Iterable[DeviceReading]) -> list[DeviceReading]:
    merged: dict[int, DeviceReading] = {}
    for reading in readings:
        known = merged.get(reading.index)
        if known is None:
            merged[reading.index] = reading
        else:
            merged[reading.index] = replace(known, frameworks=known.frameworks + reading.frameworks)
    return [merged[index] for index in sorted(merged)]
