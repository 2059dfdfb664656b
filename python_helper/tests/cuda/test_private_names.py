"""Each private name of PyTorch is taken away in turn, from a CUDA build that has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kernels import test_private_names as table
from tests.kernels.test_private_names import test_all_is_answered_without

if TYPE_CHECKING:
    from tests.cuda.conftest import StartCuda
    from tests.cuda.kernel import CudaKernel

__all__ = ["test_all_is_answered_without"]
pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def kernel(start_cuda: StartCuda) -> CudaKernel:
    """A kernel with a GPU of 4 GiB, and a model on it."""
    started = start_cuda(installed=True, devices="4GiB")
    started.good(table.HIDE + "import torch\nmodel = torch.nn.Linear(2**14, 2**14, device='cuda')")
    return started
