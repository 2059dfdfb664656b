"""What the tests in live kernels share: programs that run out of memory in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.live import LiveKernel, attached
from tests.programs import Programs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack


@pytest.fixture(scope="module")
def simulated(
    request: pytest.FixtureRequest,
    newest_python: Path,
    pack: Pack,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[LiveKernel]:
    """A kernel that a module shares, with the simulated GPU that is its `GPU`."""
    folder, gpu = tmp_path_factory.mktemp("gpu"), request.module.GPU
    with attached(newest_python, folder, pack, installed=True, GPU_HEADROOM_SIMULATE=gpu) as kernel:
        yield kernel


@pytest.fixture
def fresh(
    request: pytest.FixtureRequest, newest_python: Path, pack: Pack, tmp_path: Path
) -> Iterator[LiveKernel]:
    """A kernel of a test's own, at work in `tmp_path`, with the GPU that is the module's `GPU`."""
    gpu = request.module.GPU
    with attached(
        newest_python, tmp_path, pack, installed=True, GPU_HEADROOM_SIMULATE=gpu
    ) as kernel:
        yield kernel


@pytest.fixture(scope="module")
def programs(simulated: LiveKernel) -> Programs:
    """Programs that run out of memory, one after the other in that kernel."""
    return Programs(simulated)
