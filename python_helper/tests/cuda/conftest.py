"""Kernels with a CUDA build of PyTorch, which `make cuda` provides; elsewhere nothing is run."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import pytest
from tests.cuda.kernel import CudaKernel, is_here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live import Pack


class StartCuda(Protocol):
    """Start a kernel that ends with its test, or with its module."""

    def __call__(self, *, installed: bool = False, **variables: str) -> CudaKernel:
        """Inject the helper or take the installed one; `variables` are those of CudaKernel."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out what needs a CUDA build where there is none."""
    if item.get_closest_marker("cuda") and not is_here():
        pytest.skip("`make cuda` runs these, over a CUDA build of PyTorch")


@pytest.fixture(scope="module")
def start_cuda(pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartCuda]:
    """Start kernels for all tests of a module."""
    with ExitStack() as kernels:

        def start(*, installed: bool = False, **variables: str) -> CudaKernel:
            folder = tmp_path_factory.mktemp("cuda")
            started = CudaKernel(folder, None if installed else pack, **variables)
            return kernels.enter_context(started)

        yield start


@pytest.fixture(scope="module")
def cuda(start_cuda: StartCuda) -> CudaKernel:
    """A kernel for all tests of a module, with PyTorch imported and a GPU of 16 GiB."""
    kernel = start_cuda()
    kernel.good("import torch")
    return kernel


@pytest.fixture
def trash(cuda: CudaKernel) -> Iterator[None]:
    """Take all names away after a test, and what they held."""
    yield
    cuda.good("%reset -f\nimport torch, gc\ngc.collect(); torch.cuda.empty_cache()")
