"""The trend of readings that a test makes up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.frameworks.view import FrameworkReading
from gpu_headroom.readings.snapshot import DeviceReading
from gpu_headroom.trends.loop_steps import LoopSteps
from gpu_headroom.trends.trend import DeviceTrend

if TYPE_CHECKING:
    from collections.abc import Callable

MIB = 2**20
CAPACITY = 10_000 * MIB


def device(
    in_use: float, *, peak: float | None = None, total: float | None = None
) -> DeviceReading:
    """A GPU on which PyTorch is alone."""
    used = int(in_use)
    framework = FrameworkReading(
        "torch",
        used,
        0,
        None if peak is None else int(peak),
        0,
        0,
        allocated_total_bytes=None if total is None else int(total),
    )
    return reading_of(framework, CAPACITY - used)


def reading_of(framework: FrameworkReading, free_bytes: int) -> DeviceReading:
    """Make a reading of a GPU that this framework has for itself."""
    return DeviceReading(
        0,
        capacity_bytes=CAPACITY,
        free_bytes=free_bytes,
        outside_bytes=0,
        frameworks=(framework,),
    )


def trend_of(in_use: Callable[[float], float], seconds: int, hz: float = 2) -> DeviceTrend:
    """Enter readings of a memory that is a function of time."""
    trend = DeviceTrend()
    for reading in range(int(seconds * hz)):
        trend.enter(reading / hz, device(in_use(reading / hz) * MIB))
    return trend


def state(trend: DeviceTrend) -> str:
    """What the trend says."""
    return trend.as_wire(0)["state"]


def test_says_nothing_at_first() -> None:
    """Ten seconds are needed, and twenty readings."""
    assert state(trend_of(lambda s: 100 * s, 9)) == "unknown"
    assert state(trend_of(lambda s: 100 * s, 12)) == "growing"


def test_growth_is_measured() -> None:
    """A line has its slope, and a time until full once it has grown as much as is left."""
    early, late = trend_of(lambda s: 100 * s, 20), trend_of(lambda s: 100 * s, 60)
    assert early.as_wire(0)["bytes_per_s"] == 100 * MIB
    assert early.full_in_s is None
    assert late.full_in_s == pytest.approx((10_000 - 100 * 59.5) / 100)


def test_the_low_points_count() -> None:
    """What a step takes and gives back is left out of the slope."""
    values = trend_of(lambda s: 50 * s + 2000 * (1 + math.sin(5 * s)), 100, hz=10).as_wire(0)
    assert values["state"] == "growing"
    assert values["bytes_per_s"] == pytest.approx(50 * MIB, rel=0.05)


@pytest.mark.parametrize(
    "shape",
    [
        lambda _: 3000,
        lambda s: min(3000, 300 * s),
        lambda s: 3000 + 2000 * math.sin(4.1 * s),
        lambda s: 2000 + 100 * (s % 20),
        lambda s: 1000 if s < 30 else 6000,
        lambda s: 5000 - 10 * s,
    ],
)
def test_others_are_steady(shape: Callable[[float], float]) -> None:
    """Flat, a plateau, a wave, the later teeth of a saw, a jump, and memory that is given back."""
    assert state(trend_of(shape, 90)) == "steady"


@pytest.mark.parametrize("rates", [(2, 10), (10, 2), (2, 10, 2)])
def test_another_rate_of_readings_is_no_change(rates: tuple[int, ...]) -> None:
    """A page that opens its popup and closes it does not make growth uncertain, nor a wave grow."""
    leak, wave = DeviceTrend(), DeviceTrend()
    time_s, states = 0.0, set()
    for hz in rates:
        for _ in range(30 * hz):
            leak.enter(time_s, device((1000 + 30 * time_s) * MIB))
            wave.enter(time_s, device((3000 + 2000 * math.sin(4.1 * time_s)) * MIB))
            time_s += 1 / hz
            if time_s > 15:
                states.add((state(leak), state(wave) == "growing"))
    assert states == {("growing", False)}


def test_a_late_leak_is_seen() -> None:
    """An hour of calm does not hide the growth of the last minutes."""
    trend = trend_of(lambda s: 3000 if s < 3600 else 3000 + 5 * (s - 3600), 4800)
    assert state(trend) == "growing"
    assert trend.as_wire(0)["bytes_per_s"] == pytest.approx(5 * MIB, rel=0.05)


def test_a_beat_between_steps_and_readings_is_no_growth() -> None:
    """Readings that creep through a step look like growth; the peak counter knows better."""
    trend = DeviceTrend()
    for reading in range(200):
        peak = 8000 * MIB if reading else 100 * MIB
        trend.enter(reading / 2, device((1000 + 30 * reading) * MIB, peak=peak))
        assert state(trend) != "growing"


def test_memory_stays_bounded() -> None:
    """A day of readings is kept in as many slots as an hour."""
    trend = trend_of(lambda _: 100, 24 * 3600, hz=1)
    assert len(trend._slots) <= 160
    assert len(trend.loop_steps._recent) <= 48


def steps_of(step_s: float, hz: float) -> LoopSteps:
    """A minute of a loop whose steps give out three times what they keep for a while."""
    steps = LoopSteps()
    for reading in range(int(60 * hz)):
        count, part = divmod(reading / hz, step_s)
        phase = part / step_s
        in_use = 500 * (1 - abs(2 * phase - 1))
        steps.enter(reading / hz, int(in_use * MIB), int(1500 * (count + phase) * MIB))
    return steps


def test_steps_are_told_apart() -> None:
    """With several readings in each, steps are counted and timed."""
    steps = steps_of(2.0, 10)
    assert steps.steps == pytest.approx(30, abs=1)
    assert steps.step_s == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("step_s", [0.1, 0.105, 0.2, 0.31])
def test_fast_steps_are_not_guessed(step_s: float) -> None:
    """Where a step passes between two readings or nearly so, nothing is said."""
    assert steps_of(step_s, 10).steps is None


def test_per_step_numbers() -> None:
    """Growth per step and steps until full come with the steps."""
    trend = DeviceTrend()
    for reading in range(600):
        count, part = divmod(reading / 10, 2.0)
        in_use = 200 * count + 500 * (1 - abs(part - 1))
        total = 1500 * (count + part / 2)
        trend.enter(reading / 10, device(in_use * MIB, peak=None, total=total * MIB))
    values = trend.as_wire(0)
    assert values["bytes_per_step"] == pytest.approx(200 * MIB, rel=0.1)
    assert values["full_in_steps"] == pytest.approx((10_000 - 6500) / 200, rel=0.2)
