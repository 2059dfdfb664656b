"""What a tick of the sampler reads anew, and what it leaves as it was."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from gpu_headroom.frameworks.view import FrameworkReading, View
from gpu_headroom.readings.nvml import DRIVER
from gpu_headroom.readings.sources import Sources

if TYPE_CHECKING:
    from gpu_headroom.protocol.generated import wire

TOTAL = 1000


@dataclass
class Machine:
    """A framework and a driver beside each other, of which a test decides; bytes."""

    reserved: int = 100
    outside: int = 0
    asked: int = 0
    now_s: float = 100.0
    views: dict[int, View] = field(default_factory=dict)

    def state(self) -> wire.State:
        """It is up."""
        return "live"

    def read(self) -> tuple[View, ...]:
        """Return one object for one size, as PyTorch's source does."""
        framework = FrameworkReading("torch", self.reserved, 0)
        return (self.views.setdefault(self.reserved, View(0, framework=framework)),)

    def driver(self, fixed: bool) -> tuple[View, ...]:
        """What the driver says, counted."""
        del fixed
        self.asked += 1
        free = TOTAL - self.reserved - self.outside
        return (View(0, total_bytes=TOTAL, free_bytes=free),)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine whose clock stands still unless a test moves it."""
    machine = Machine()
    monkeypatch.setattr(time, "monotonic", lambda: machine.now_s)
    monkeypatch.setattr(DRIVER, "read", machine.driver)
    return machine


@pytest.fixture
def sources(machine: Machine) -> Sources:
    """Its sources, which have been read once."""
    sources = Sources(lambda part, error: pytest.fail(f"{part}: {error}"))
    sources.include_all()
    sources._frameworks = {"torch": machine}
    sources.read(ticking=True)
    return sources


def outside(sources: Sources, *, ticking: bool = True) -> int | None:
    """Read, and return what no framework of this kernel uses."""
    return sources.read(ticking=ticking).devices[0].outside_bytes


def test_a_tick_asks_the_driver_once_a_second(sources: Sources, machine: Machine) -> None:
    """What other programs take is seen within a second, however often the gauge is drawn."""
    machine.outside = 50
    assert outside(sources) == 0
    machine.now_s += 0.5
    assert outside(sources) == 0
    assert machine.asked == 1
    machine.now_s += 0.5
    assert outside(sources) == 50
    assert machine.asked == 2


def test_a_tick_that_finds_more_taken_asks_the_driver(sources: Sources, machine: Machine) -> None:
    """Parts of two moments would not add up: what a framework took would be missing outside."""
    machine.reserved += 200
    assert outside(sources) == 0
    assert machine.asked == 2


def test_whoever_asks_gets_everything_anew(sources: Sources, machine: Machine) -> None:
    """A release says what came back, and a page that asks is told what is."""
    machine.outside = 50
    assert outside(sources, ticking=False) == 50


def test_a_tick_that_finds_nothing_new_makes_nothing(sources: Sources, machine: Machine) -> None:
    """The devices of the last reading stand."""
    devices = sources.read(ticking=True).devices
    assert sources.read(ticking=True).devices is devices
    machine.reserved += 1
    assert sources.read(ticking=True).devices is not devices
