"""A sample of `benchmarks/peaks.py`: the true peak of a run lies within its range."""

from __future__ import annotations

import pytest

from benchmarks.peaks import NAMES, told

_SAMPLE = ("convolutional_network", "frozen_layers", "to_the_host_and_back")


@pytest.mark.parametrize("name", _SAMPLE)
def test_the_true_peak_lies_within(name: str) -> None:
    """In a fresh kernel it is exact; of a lower one it is told at least, and at most."""
    results = list(told([name]))
    assert [result.case for result in results] == ["first", "again", "after a larger one"]
    assert all(result.holds for result in results), results
    assert all(result.most_bytes is not None for result in results), results
    assert results[0].width == 0


def test_the_sample_is_of_the_benchmark() -> None:
    """What is measured in full has these programs, too."""
    assert {*_SAMPLE} <= {*NAMES}
