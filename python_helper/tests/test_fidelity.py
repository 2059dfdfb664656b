"""The comparison of the simulated GPU with PyTorch's own allocator, and its part of the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.fidelity import page
from benchmarks.fidelity.exceptions import EXCEPTIONS
from benchmarks.fidelity.measured import Comparison, Failure, Gpu, Measured, Refusal
from benchmarks.fidelity.programs import PROGRAMS
from benchmarks.fidelity.run import complain

GPU = Gpu(peak_in_use=1000, peak_reserved=2000, allocations=3, retries=0, ooms=0)
MEASURED = Measured((GPU,), (), None)


def beside(**changes: int) -> Comparison:
    """Return a comparison in which the simulator's GPU differs."""
    return Comparison(MEASURED, replace(MEASURED, gpus=(replace(GPU, **changes),)))


def test_the_page_has_the_results() -> None:
    """The tables are not edited by hand, and no run is forgotten."""
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.renewed(text, page.read()) == text


def test_all_programs_were_compared() -> None:
    """A program that is added is run, and one that is taken away leaves the results."""
    assert set(page.read()["programs"]) == set(PROGRAMS)


def test_each_exception_has_its_sentence() -> None:
    """What differs is explained, and what is equal has no excuse."""
    programs = page.read()["programs"]
    assert set(EXCEPTIONS) <= set(programs)
    assert [text for name, program in programs.items() for text in complain(name, program)] == []


@pytest.mark.parametrize(
    ("changes", "is_equal", "is_close"),
    [
        ({}, True, True),
        ({"allocations": 4}, True, True),
        ({"peak_in_use": 1050}, False, True),
        ({"peak_in_use": 949}, False, False),
        ({"peak_reserved": 2101}, False, False),
    ],
)
def test_peaks_are_compared(changes: dict[str, int], is_equal: bool, is_close: bool) -> None:
    """Equal is to the byte, close within 5 % of the allocator's."""
    result = beside(**changes)
    assert (result.is_equal, result.is_close) == (is_equal, is_close)


@pytest.mark.parametrize(
    "end",
    [
        {"refusals": (Refusal(0, 512, 2),)},
        {"failure": Failure("OutOfMemoryError", "CUDA out of memory.", "loss.backward()")},
    ],
)
def test_an_end_of_its_own_is_not_close(end: dict[str, object]) -> None:
    """A simulator that runs out alone, or at another step, is wrong whatever its peaks."""
    result = Comparison(MEASURED, replace(MEASURED, **end))  # type: ignore[arg-type]  # of these fields
    assert not result.ends_alike
    assert not result.is_close
