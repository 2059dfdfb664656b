"""The ledger of cell runs."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any

import pytest
from gpu_headroom.cells.runs import CellRun, Ledger
from gpu_headroom.frameworks.view import FrameworkReading
from gpu_headroom.readings.snapshot import DeviceReading, DeviceSnapshot


def reading(in_use: int, **figures: int | None) -> DeviceSnapshot:
    """A snapshot of one device with one framework."""
    framework = FrameworkReading(
        "torch",
        in_use,
        figures.get("cached", 0),
        figures.get("peak"),
        figures.get("retries", 0),
        figures.get("ooms", 0),
        allocated_total_bytes=figures.get("allocated"),
        returned_total_bytes=figures.get("returned"),
    )
    device = DeviceReading(
        0, capacity_bytes=1000, free_bytes=500, outside_bytes=0, frameworks=(framework,)
    )
    return DeviceSnapshot(1, 0.0, "live", (device,))


NOTHING = DeviceSnapshot(1, 0.0, "not_initialised", ())


def run_of(cell_id: str | None, source: str = "") -> CellRun:
    """A run that begins."""
    return CellRun(cell_id, None, source, None, 1.0)


def ended(
    start: DeviceSnapshot | None, end: DeviceSnapshot, *between: DeviceSnapshot
) -> dict[str, Any]:
    """What a run between two readings did to the device."""
    ledger = Ledger()
    ledger.begin(token := object(), run_of("a"), start)
    for snapshot in between:
        ledger.observe(snapshot)
    (memory,) = ledger.end(ledger.depth(token), "ok", 1, 2.0, end).memory
    return dict(memory)


def peak_in(memory: dict[str, Any]) -> tuple[int, int | None]:
    """Between which sizes a run's peak lies."""
    return memory["peak_bytes"], memory["peak_at_most_bytes"]


def test_change_is_end_minus_start() -> None:
    """A cell may add memory or give some back."""
    assert ended(reading(100, peak=100), reading(160, peak=160))["change_bytes"] == 60
    assert ended(reading(100, peak=100), reading(40, peak=100))["change_bytes"] == -60


def test_peak_is_exact_where_the_counter_rose() -> None:
    """The framework's own counter knows peaks that no sample saw."""
    memory = ended(reading(100, peak=120), reading(110, peak=700), reading(300, peak=700))
    assert peak_in(memory) == (700, 700)


def test_peak_is_a_range_below_an_older_one() -> None:
    """Of a counter that did not rise and the highest reading the peak lies between."""
    memory = ended(reading(100, peak=900), reading(110, peak=900), reading(300, peak=900))
    assert peak_in(memory) == (300, 900)


@pytest.mark.parametrize(
    ("start", "end", "most"),
    [
        ({"returned": 70}, {"cached": 200, "returned": 70}, 500),
        ({"returned": 70}, {"cached": 200, "returned": 90}, 520),
        ({"returned": 70}, {"cached": 200, "returned": 10}, 900),
        ({"allocated": 100}, {"allocated": 350}, 350),
        ({"allocated": 100}, {"allocated": 300}, 300),
        ({"allocated": 100}, {"allocated": 30}, 900),
    ],
    ids=[
        "all that is reserved",
        "and what was returned to the GPU",
        "not where that counter was reset",
        "all that was given out",
        "which is the peak where nothing was freed",
        "not where it was reset",
    ],
)
def test_what_bounds_a_peak(
    start: dict[str, int | None], end: dict[str, int | None], most: int
) -> None:
    """What the allocator had reserved and what it gave out bound the peak from above."""
    memory = ended(reading(100, peak=900, **start), reading(300, peak=900, **end))
    assert peak_in(memory) == (300, most)


def test_counters_are_differences() -> None:
    """Retries and out-of-memory errors count from the start of the cell."""
    memory = ended(reading(1, peak=1, retries=3, ooms=1), reading(1, peak=1, retries=5, ooms=2))
    assert (memory["alloc_retries"], memory["ooms"]) == (2, 1)


def test_unknown_stays_unknown() -> None:
    """A figure that a framework does not have is null, not 0."""
    start, end = reading(1, peak=None, retries=None), reading(9, peak=None, retries=None)
    memory = ended(start, end)
    assert memory["alloc_retries"] is None
    assert peak_in(memory) == (9, None)


def test_a_device_that_the_cell_brought_up_began_at_nothing() -> None:
    """Before its first tensor a device held nothing of this kernel's."""
    memory = ended(NOTHING, reading(50, peak=80, ooms=1))
    assert memory == {
        "device_index": 0,
        "change_bytes": 50,
        "peak_bytes": 80,
        "peak_at_most_bytes": 80,
        "needed_bytes": 80,
        "alloc_retries": 0,
        "ooms": 1,
    }


def test_a_start_that_was_not_read_leaves_the_change_unknown() -> None:
    """An adopted cell has no start: what it changed is not measured."""
    memory = ended(None, reading(50, peak=80))
    assert memory["change_bytes"] is None
    assert peak_in(memory) == (50, None)


def test_only_the_outermost_run_is_a_cell() -> None:
    """Nested runs end with the cell that started them."""
    ledger = Ledger()
    outer, inner = object(), object()
    assert ledger.begin(outer, run_of("outer"), NOTHING) is True
    assert ledger.begin(inner, run_of("inner"), NOTHING) is False
    assert (ledger.depth(outer), ledger.depth(inner), ledger.depth(object())) == (0, 1, -1)
    ledger.end(1, "ok", None, 1.5, NOTHING)
    assert ledger.running is True
    ledger.end(0, "ok", 1, 2.0, NOTHING)
    assert [ledger.running] == [False]
    assert [run.cell_id for run in ledger.cells()] == ["outer"]


def test_a_lost_inner_end_does_not_keep_the_cell_running() -> None:
    """The end of the outer run is the end of all."""
    ledger = Ledger()
    ledger.begin(outer := object(), run_of("outer"), NOTHING)
    ledger.begin(object(), run_of("inner"), NOTHING)
    ledger.end(ledger.depth(outer), "error", 1, 2.0, NOTHING)
    assert not ledger.running


def test_a_cancelled_cell_ends_without_a_token() -> None:
    """IPython ends a cancelled cell with no result: that is the outermost one."""
    ledger = Ledger()
    assert ledger.depth(None) == -1
    ledger.begin(object(), run_of("a"), NOTHING)
    assert ledger.depth(None) == 0


def test_keeps_the_latest_source_of_each_cell() -> None:
    """Cells stand in the order in which they last ran, each with what it then said."""
    ledger = Ledger()
    for cell_id, source in (("a", "x = 1"), ("b", "x"), ("a", "x = 2")):
        ledger.begin(object(), run_of(cell_id, source), NOTHING)
        ledger.end(0, "ok", 1, 2.0, NOTHING)
    assert [(run.cell_id, run.source) for run in ledger.cells()] == [("b", "x"), ("a", "x = 2")]


def test_the_running_cell_knows_its_memory_so_far() -> None:
    """Asked in between, a cell tells what it did up to then."""
    ledger = Ledger()
    ledger.begin(object(), run_of("a"), reading(100, peak=100))
    current = ledger.current(reading(170, peak=180))
    assert current is not None
    assert current.status == "running"
    assert current.memory[0]["change_bytes"] == 70


def test_tells_by_a_checksum_which_code_ran() -> None:
    """A page sees by it that a cell says something else by now; a huge one is not read."""

    def checksum(source: str) -> int | None:
        return run_of("a", source).as_wire("helper")["source_crc32"]

    assert checksum("123456789") == 0xCBF43926
    assert checksum("größe = 1") == zlib.crc32("größe = 1".encode())
    assert checksum("\ud800") is not None
    assert checksum("#" * (10**6 + 1)) is None


def test_needed_is_the_peak_above_the_start() -> None:
    """What was in use before the cell is not what the cell needs."""
    memory = ended(reading(100, peak=120), reading(110, peak=700))
    assert memory["needed_bytes"] == 600


def test_a_counter_that_the_cell_reset_is_a_bound() -> None:
    """A user may reset the peak in a cell: what it says since then is at least the peak."""
    memory = ended(reading(100, peak=900), reading(110, peak=400))
    assert peak_in(memory) == (400, None)


def test_peaks_of_several_frameworks_are_a_range() -> None:
    """The peaks of two allocators need not fall together: their sum is a bound."""
    torch, jax = (FrameworkReading(name, 50, 0, 300, 0, 0) for name in ("torch", "jax"))
    (device,) = reading(0).devices
    both = DeviceSnapshot(1, 0.0, "live", (replace(device, frameworks=(torch, jax)),))
    memory = ended(NOTHING, both)
    assert peak_in(memory) == (100, 600)


def test_a_device_that_only_the_driver_knows_is_left_out() -> None:
    """No framework of this kernel uses it: there is no change and no peak to tell."""
    (device,) = reading(0).devices
    ledger = Ledger()
    ledger.begin(object(), run_of("a"), NOTHING)
    idle = DeviceSnapshot(1, 0.0, "not_initialised", (replace(device, frameworks=()),))
    assert ledger.end(0, "ok", 1, 2.0, idle).memory == ()


def test_the_first_use_of_a_known_device_is_exact() -> None:
    """A device that the driver knew before the framework held nothing of this kernel's."""
    (device,) = reading(0).devices
    idle = DeviceSnapshot(1, 0.0, "not_initialised", (replace(device, frameworks=()),))
    memory = ended(idle, reading(50, peak=80))
    assert (*peak_in(memory), memory["needed_bytes"]) == (80, 80, 80)


@pytest.mark.parametrize("has_id", [True, False])
def test_forgets_the_oldest(*, has_id: bool) -> None:
    """The ledger does not grow with the length of a session."""
    ledger = Ledger()
    for number in range(500):
        ledger.begin(object(), run_of(f"cell {number}" if has_id else None), NOTHING)
        ledger.end(0, "ok", number, 2.0, NOTHING)
    assert len(ledger.cells()) == 200
    assert ledger.cells()[-1].execution_count == 499
