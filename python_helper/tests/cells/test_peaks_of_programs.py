"""A sample of `benchmarks/peaks.py`: the true peak of a run lies within its range."""

from __future__ import annotations

import pytest

from benchmarks.peaks import NAMES, told

_SAMPLE = ("convolutional_network", "frozen_layers", "to_the_host_and_back")


@pytest.mark.parametrize("name", _SAMPLE)
def test_the_true_peak_lies_within(name: str) -> None:
    """In a fresh kernel it is exact; of a lower one it is told at least, and at most."""
    found = list(told([name]))
    assert [each.case for each in found] == ["first", "again", "after a larger one"]
    assert all(each.holds for each in found), found
    assert all(each.most_bytes is not None for each in found), found
    assert found[0].width == 0


def test_the_sample_is_of_the_benchmark() -> None:
    """What is measured in full has these programs, too."""
    assert {*_SAMPLE} <= {*NAMES}
