"""Trend of memory during a cell: a robust line through what stays in use on one device."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

from ..text.format import MIB
from .loop_steps import LoopSteps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..protocol.generated import wire
    from ..readings.snapshot import DeviceReading

# The numbers below are verified by `tests/trends`: none of 21 kinds of healthy training may raise
# an alarm, and each of 10 leaks must be reported before memory is full.
_MOST_SLOTS = 160  # of one or more readings: limits the cost of a cell of hours
_SLOT_S = 0.08  # minimum distance, below that of ten readings a second
_JUDGED_S = 0.4  # fitting a line is costly: twice a second is enough
_BLOCKS = 10  # stretches of time for the line
_LEAST_BLOCKS = 6  # stretches with readings, to doubt that memory is steady
_LEAST_SLOTS = 20
_LEAST_S = 10.0
_LEAST_RISE_BYTES = 16 * MIB
_EXPLAINED = 0.9  # of all change, by the line
# A straight line rises by a third in each third; a warm-up that ends does not.
_THIRDS = 3
_EACH_THIRD = 0.15
_PEAKS_FOLLOW = 0.5  # minimum share of the rise by which the framework's peak must rise
_UNDECIDED = 0.2  # of the room left: a larger rise may be growth even without a line


@dataclass(slots=True)
class _Slot:
    """Summary of consecutive readings: their times, minimum, maximum and the peak so far."""

    start_s: float
    end_s: float
    lowest: int
    highest: int
    record: int
    reserved: int
    scattered: int

    def add(self, later: _Slot) -> None:
        self.end_s = later.end_s
        self.lowest = min(self.lowest, later.lowest)
        self.highest = max(self.highest, later.highest)
        self.record = later.record
        self.reserved = later.reserved
        self.scattered = min(self.scattered, later.scattered)


class _Line(NamedTuple):
    """Growth in bytes per second, and the rise in bytes over the readings."""

    bytes_per_s: float
    rise: float


class DeviceTrend:
    """Readings of one device in one run of a cell, and the growth that they show.

    Growth is a line through the lowest readings of ten stretches of time: memory that a step takes
    and frees does not count. It must explain nine tenths of their change, continue in each third,
    and raise the peak of the cell (the framework's own peak counter where it rose, which includes
    peaks between two readings). So a warm-up, a plateau, a saw tooth and a beat between steps and
    readings are no growth. Nothing is reported in the first ten seconds, and no time until full
    that is longer than growth was observed.
    """

    def __init__(self) -> None:
        self._slots: list[_Slot] = []
        self._readings_per_slot = 1
        self._readings_in_last = 0
        self._highest = 0
        self._first_peak: int | None = None
        self._judged_s = 0.0
        self._line: _Line | None = None
        self._state = "unknown"
        self._room: int | None = None
        self.loop_steps = LoopSteps()

    def enter(self, time_s: float, device: DeviceReading) -> None:
        """Add a reading."""
        in_use = device.in_use_bytes
        self.loop_steps.enter(time_s, in_use, device.allocated_total_bytes)
        self._keep(time_s, device)
        self._room = self._room_left(device)
        if 0 <= time_s - self._judged_s < _JUDGED_S:
            return
        self._judged_s = time_s
        if self._is_level():  # the usual case, and a cheap test
            self._line, self._state = None, "steady" if _enough(self._slots) else "unknown"
            return
        # All readings, and the later half and quarter: growth may begin late.
        windows = [_later(self._slots, skipped) for skipped in (0, 1 / 2, 3 / 4)]
        self._line = next(filter(None, map(_growth, filter(_enough, windows))), None)
        self._state = "growing" if self._line else self._without_growth()

    @property
    def rise_bytes(self) -> int:
        """Growth in bytes over the readings that show it; 0 without growth."""
        return 0 if self._line is None else round(self._line.rise)

    @property
    def full_in_s(self) -> float | None:
        """Seconds until the memory is full; `None` if longer than growth was observed."""
        line, room = self._line, self._room
        if line is None or room is None or line.rise < room:
            return None
        return room / line.bytes_per_s

    def as_wire(self, device_index: int) -> wire.Trend:
        """Return the wire object of this trend."""
        line, full_in_s, step_s = self._line, self.full_in_s, self.loop_steps.step_s
        per_step = None if line is None or step_s is None else round(line.bytes_per_s * step_s)
        in_steps = None if full_in_s is None or step_s is None else int(full_in_s / step_s)
        return {
            "device_index": device_index,
            "state": self._state,  # type: ignore[typeddict-item]  # one of three, set above
            "bytes_per_s": None if line is None else round(line.bytes_per_s),
            "bytes_per_step": per_step,
            "steps": self.loop_steps.steps,
            "full_in_s": None if full_in_s is None else round(full_in_s, 1),
            "full_in_steps": in_steps,
        }

    def _keep(self, time_s: float, device: DeviceReading) -> None:
        in_use, peak = device.in_use_bytes, device.peak_in_use_bytes
        if self._first_peak is None:
            self._first_peak = peak
        self._highest = max(self._highest, in_use)
        rose = peak is not None and self._first_peak is not None and peak > self._first_peak
        record = max(self._highest, peak) if rose and peak is not None else self._highest
        reserved = in_use + device.cached_bytes
        scattered = device.inactive_split_bytes
        slot = _Slot(time_s, time_s, in_use, in_use, record, reserved, scattered)
        slots = self._slots
        soon = bool(slots) and time_s - slots[-1].end_s < _SLOT_S
        if slots and (soon or self._readings_in_last < self._readings_per_slot):
            slots[-1].add(slot)
            self._readings_in_last += not soon
        else:
            slots.append(slot)
            self._readings_in_last = 1
        if len(slots) > _MOST_SLOTS:
            for slot, later in zip(slots[::2], slots[1::2], strict=False):
                slot.add(later)
            self._readings_in_last = self._readings_per_slot * (2 - len(slots) % 2)
            del slots[1::2]
            self._readings_per_slot *= 2

    def _is_level(self) -> bool:
        """Whether the memory that stays in use varies by less than any growth would."""
        lowest = [slot.lowest for slot in self._slots]
        return max(lowest) - min(lowest) < _THIRDS * _EACH_THIRD * _LEAST_RISE_BYTES

    def _room_left(self, device: DeviceReading) -> int | None:
        """Return the bytes left above the peak that the next steps will reach again.

        `None` where the headroom is not measured. Spare bytes in split blocks are of no use where
        the allocator has begun to take more from the GPU.
        """
        headroom = device.headroom_bytes
        if headroom is None:
            return None
        recent = self._slots[-max(1, len(self._slots) // 3) :]
        rising = recent[-1].record > recent[0].record
        top = recent[-1].record if rising else max(slot.highest for slot in recent)
        room = headroom + device.in_use_bytes - top
        if recent[-1].reserved > recent[0].reserved:
            room -= min(slot.scattered for slot in recent[-max(2, len(recent) // 4) :])
        return max(0, room)

    def _without_growth(self) -> str:
        """Return `steady`, or `unknown` with few readings or a rise that may matter."""
        if not _enough(self._slots):
            return "unknown"
        lowest = [block[1] for block in _blocks(_later(self._slots, 1 / 2))]
        if self._room is None or len(lowest) < _LEAST_BLOCKS:
            return "steady"
        rise = fmean(lowest[-3:]) - fmean(lowest[:3])
        unsure = rise > max(_LEAST_RISE_BYTES, _UNDECIDED * self._room)
        return "unknown" if unsure else "steady"


def _enough(slots: Sequence[_Slot]) -> bool:
    return len(slots) >= _LEAST_SLOTS and slots[-1].end_s - slots[0].start_s >= _LEAST_S


def _later(slots: Sequence[_Slot], skipped: float) -> Sequence[_Slot]:
    """Return the slots after this share of the time, whatever the rate of readings."""
    start_s = slots[0].start_s + skipped * (slots[-1].end_s - slots[0].start_s)
    return [slot for slot in slots if slot.start_s >= start_s]


def _growth(slots: Sequence[_Slot]) -> _Line | None:
    """Return the growth over these readings; `None` where there is none, or it is unreliable."""
    blocks = _blocks(slots)
    times, lowest, records = zip(*blocks, strict=True)
    slope = _slope(times, lowest)
    rise = slope * (times[-1] - times[0])
    if rise < _LEAST_RISE_BYTES or not _straight(times, lowest, slope):
        return None
    if any(third < _EACH_THIRD * rise for third in _thirds(lowest)):
        return None
    # The first step may have the highest peak, so the peak need not rise immediately.
    if records[-1] - records[0] < _PEAKS_FOLLOW * rise or _thirds(records)[-1] < _EACH_THIRD * rise:
        return None
    return _Line(slope, rise)


def _blocks(slots: Sequence[_Slot]) -> list[tuple[float, int, int]]:
    """Return mean time, minimum and peak of those of ten stretches that have readings."""
    start_s = slots[0].start_s
    block_s = (slots[-1].end_s - start_s) / _BLOCKS or 1.0
    parts: list[list[_Slot]] = [[] for _ in range(_BLOCKS)]
    for slot in slots:
        parts[min(_BLOCKS - 1, int((slot.start_s - start_s) / block_s))].append(slot)
    return [
        ((part[0].start_s + part[-1].end_s) / 2, min(slot.lowest for slot in part), part[-1].record)
        for part in parts
        if part
    ]


def _slope(times: Sequence[float], sizes: Sequence[float]) -> float:
    """Return the median of the slopes between all pairs (Theil 1950, Sen 1968)."""
    return median(
        (later - size) / (end_s - start_s)
        for n, (start_s, size) in enumerate(zip(times, sizes, strict=True))
        for end_s, later in zip(times[n + 1 :], sizes[n + 1 :], strict=True)
    )


def _straight(times: Sequence[float], sizes: Sequence[float], slope: float) -> bool:
    """Whether a line of this slope explains enough of the sizes' variance."""
    above = [size - slope * time_s for time_s, size in zip(times, sizes, strict=True)]
    rest = fmean(above)
    mean = fmean(sizes)
    unexplained = sum((size - rest) ** 2 for size in above)
    return unexplained <= (1 - _EXPLAINED) * sum((size - mean) ** 2 for size in sizes)


def _thirds(sizes: Sequence[int]) -> tuple[int, int, int]:
    """Return the rise of the sizes in each third."""
    first, second = len(sizes) // 3, 2 * len(sizes) // 3
    return sizes[first] - sizes[0], sizes[second] - sizes[first], sizes[-1] - sizes[second]
