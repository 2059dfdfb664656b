"""A sample of the recovery benchmark over the real allocator: all comes back, nothing is lost."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.recovery import test_sample as sample
from tests.recovery.test_sample import (
    test_a_kept_error_is_asked_for_first,
    test_all_comes_back_and_nothing_is_lost,
    test_the_measure_can_say_no,
)

from benchmarks.recovery.kernels import REAL, Environment
from benchmarks.recovery.trial import attempt

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "test_a_kept_error_is_asked_for_first",
    "test_all_comes_back_and_nothing_is_lost",
    "test_the_measure_can_say_no",
]
pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def trials() -> Iterator[sample.Pending]:
    """All of the sample in kernels of this environment, without a simulated GPU."""
    python = Path(sys.executable)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(REAL, "1")
        with Environment("cuda", python) as environment, ThreadPoolExecutor(2) as pool:
            yield {
                (scenario, method): pool.submit(
                    attempt, environment, sample._SCENARIOS[scenario], sample._METHODS[method]
                )
                for scenario, method in sample.PAIRS
            }
