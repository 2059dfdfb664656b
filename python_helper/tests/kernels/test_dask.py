"""A short sample of `tests/engines`: Dask workers that are followed, explained and left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engines.test_dask import (
    followed,
    kernel_with,
    test_a_failure_is_explained_by_what_the_worker_measured,
    test_what_a_failed_task_still_holds_is_given_back,
    test_workers_are_left_as_they_were,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import LiveKernel, Pack

__all__ = [
    "followed",
    "test_a_failure_is_explained_by_what_the_worker_measured",
    "test_what_a_failed_task_still_holds_is_given_back",
    "test_workers_are_left_as_they_were",
]


@pytest.fixture(scope="module")
def kernel(
    newest_python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """A kernel with two workers, in the environment of the tests."""
    with kernel_with(newest_python, pack, tmp_path_factory.mktemp("notebook")) as kernel:
        yield kernel
