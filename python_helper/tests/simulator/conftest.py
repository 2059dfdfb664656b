"""A simulated GPU for one test, and nothing of it left afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest
from gpu_simulator import active, simulate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_simulator.simulation import Simulation


class StartGpu(Protocol):
    """Start a simulated GPU that is stopped at the end of the test."""

    def __call__(
        self,
        capacity: int | str | list[int | str],
        compute: str,
        outside: int | str = ...,
        devices: int = ...,
    ) -> Simulation:
        """Take what `simulate` takes."""


@pytest.fixture
def start_gpu() -> Iterator[StartGpu]:
    """Give the test a way to start a GPU of its own size."""

    def start(
        capacity: int | str | list[int | str],
        compute: str,
        outside: int | str = "420 MiB",
        devices: int = 1,
    ) -> Simulation:
        return simulate(capacity, compute=compute, outside=outside, devices=devices)

    yield start
    simulation = active()
    if simulation is not None:
        simulation.stop()


@pytest.fixture(params=["meta", "cpu"])
def gpu(request: pytest.FixtureRequest, start_gpu: StartGpu) -> Simulation:
    """A GPU of 4 GiB, once without and once with values."""
    return start_gpu("4 GiB", request.param)


@pytest.fixture
def valued_gpu(start_gpu: StartGpu) -> Simulation:
    """A GPU of 4 GiB with real values."""
    return start_gpu("4 GiB", "cpu")


@pytest.fixture(params=["meta", "cpu"])
def two_gpus(request: pytest.FixtureRequest, start_gpu: StartGpu) -> Simulation:
    """Two GPUs of 4 GiB, once without and once with values."""
    return start_gpu("4 GiB", request.param, devices=2)
