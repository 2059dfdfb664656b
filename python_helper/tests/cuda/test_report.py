"""Cells that fail on a real CUDA build: the GPU, and what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cuda.kernel import CONTEXT, FAIL, GIB, MIB, torch_version

if TYPE_CHECKING:
    from tests.cuda.conftest import StartCuda
    from tests.cuda.kernel import CudaKernel

pytestmark = pytest.mark.cuda


@pytest.mark.usefixtures("trash")
def test_the_gpu_has_the_real_numbers(cuda: CudaKernel) -> None:
    """What was asked for, where, and what the error holds; a release gives exactly that."""
    cuda.good("kept = torch.empty(2**20, device='cuda')")
    report = cuda.fail(FAIL, cell_id="failing")
    assert report["requested_bytes"] == GIB
    assert (report["cell_id"], report["line"]) == ("failing", 4)
    cuda.check_numbers()
    expected = cuda.expected()["traceback"]
    before = cuda.allocated()
    released = cuda.release("traceback", report_id=report["report_id"])
    assert released["status"] == "done"
    assert released["freed_bytes"] == report["traceback_bytes"] == expected
    assert before - cuda.allocated() == expected > GIB
    cuda.check_numbers()
    assert cuda.value("kept.numel()") == MIB


def test_a_refusal_by_the_driver_has_its_gpu(start_cuda: StartCuda) -> None:
    """The GPU's memory is free, and still CUDA refuses."""
    kernel = start_cuda(fail="malloc:2")
    kernel.good("import torch\nx = torch.empty(2**28, device='cuda')")
    report = kernel.fail("y = torch.empty(2**28, device='cuda')")
    assert report["requested_bytes"] == GIB
    kernel.check_numbers()


def test_cublas_without_memory_is_recognised(start_cuda: StartCuda) -> None:
    """Not the allocator raised but the library, where hardly any memory is left."""
    kernel = start_cuda(fail="cublas", devices="1GiB")
    kernel.good(
        "import torch\n"
        "x = torch.ones(64, 64, device='cuda')\n"
        "kept = torch.empty(564 * 2**20, dtype=torch.uint8, device='cuda')"
    )
    report = kernel.fail("y = x @ x")
    assert report["requested_bytes"] is None
    kernel.check_numbers()


def test_a_context_that_cannot_be_made(start_cuda: StartCuda) -> None:
    """Others have the GPU: PyTorch cannot begin, and nothing of ours begins in its place."""
    kernel = start_cuda(outside="15.8GiB")
    kernel.good("import torch")
    run = kernel.run("x = torch.ones(1, device='cuda')", stop_on_error=False)
    assert run.status == "error"
    device = kernel.device()
    assert device["in_use_bytes"] in (0, None)
    assert device["free_bytes"] < 420 * MIB
    assert "context" not in kernel.calls()
    kernel.asked("plan")


@pytest.mark.parametrize("says_which", [True, False])
def test_of_two_gpus_the_one_that_failed_is_told_of(
    start_cuda: StartCuda, *, says_which: bool
) -> None:
    """Its own numbers and name, also where the error does not say which: the allocator does."""
    kernel = start_cuda(devices="16GiB,24GiB", names="One,Two")
    # The first GPU is nearly empty, the second one nearly full: freeing would not do.
    kernel.good(
        "import torch\n"
        "first = torch.empty(2**20, device='cuda:0')\n"
        "kept = torch.empty(18 * 2**30, dtype=torch.uint8, device='cuda:1')"
    )
    fill = (
        "def fill():\n"
        "    part = torch.empty(2 * 2**30, dtype=torch.uint8, device='cuda:1')\n"
        "    return torch.empty(8 * 2**30, dtype=torch.uint8, device='cuda:1')\n"
    )
    silent = (
        "try:\n    fill()\nexcept torch.cuda.OutOfMemoryError:\n    failed = True\n"
        "if failed:\n    raise torch.cuda.OutOfMemoryError('CUDA out of memory.')\n"
    )
    if not says_which and torch_version() < (2, 4):
        pytest.skip("the allocator tells of failures on several GPUs since PyTorch 2.4")
    report = kernel.fail(fill + ("fill()" if says_which else silent))
    assert (report["device_index"], report["device_name"]) == (1, "Two")
    assert report["capacity_bytes"] == 24 * GIB
    assert report["in_use_bytes"] == 20 * GIB
    if says_which:
        assert report["fits_after_free"] is False
    kernel.check_numbers(1)


def test_a_failure_tells_the_memory_fraction(start_cuda: StartCuda) -> None:
    """Also on PyTorch up to 2.5, where nothing else does; what is outside is still measured."""
    kernel = start_cuda(devices="16GiB")
    kernel.good("import torch\ntorch.cuda.set_per_process_memory_fraction(0.5)")
    kernel.good("kept = torch.empty(2**30, dtype=torch.uint8, device='cuda')")
    report = kernel.fail("torch.empty(9 * 2**30, dtype=torch.uint8, device='cuda')")
    assert (report["capacity_bytes"], report["outside_bytes"]) == (8 * GIB, CONTEXT)
    sources = {row["label"]["id"]: row["source"]["text"] for row in report["details"]}
    assert sources["detail.capacity"] == "set_per_process_memory_fraction()"
    (free,) = [row["bytes"] for row in report["parts"] if row["kind"] == "free"]
    assert free == 7 * GIB
