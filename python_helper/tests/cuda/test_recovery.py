"""Twenty notebooks of the recovery benchmark over the real allocator: nothing is lost."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.recovery import test_sample as sample
from tests.recovery.test_sample import (
    test_a_kept_error_is_asked_for_first,
    test_all_comes_back_and_nothing_is_lost,
    test_common_failures_give_all_back,
    test_the_measure_can_say_no,
)

from benchmarks.recovery.kernels import REAL, Environment

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "test_a_kept_error_is_asked_for_first",
    "test_all_comes_back_and_nothing_is_lost",
    "test_common_failures_give_all_back",
    "test_the_measure_can_say_no",
]
pytestmark = pytest.mark.cuda

# Besides those of the sample: PyTorch's own ways to keep memory, and a few of Python's.
FREED = (
    *("forward", "backward", "graph-list", "model", "trainer", "data-loader", "hooks"),
    *("checkpoint", "half-moved", "function", "generator", "async"),
)
PAIRS = (
    *product(sample.SMOKE, sample.FREES),
    *sample.PAIRS,
    *product(FREED, ("release",)),
)


@pytest.fixture(scope="module")
def trials() -> Iterator[sample.Pending]:
    """All of them in kernels of this environment, without a simulated GPU."""
    python = Path(sys.executable)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(REAL, "1")
        with Environment("cuda", python) as environment:
            yield sample.attempts(environment, PAIRS, at_once=2)


@pytest.fixture(scope="module")
def smoke(trials: sample.Pending) -> sample.Pending:
    """The same."""
    return trials


@pytest.mark.parametrize("scenario", FREED)
def test_what_pytorch_kept_comes_back(trials: sample.Pending, scenario: str) -> None:
    """What a restart would recover is freed, and no variable is lost."""
    test_all_comes_back_and_nothing_is_lost(trials, scenario, "release")
