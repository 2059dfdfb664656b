"""Gauge readings over the real allocator, to the byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cuda.kernel import CONTEXT, GIB, MIB

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cuda.conftest import StartCuda
    from tests.cuda.kernel import CudaKernel

pytestmark = pytest.mark.cuda

# As the stub names it: two GPUs, then the instances of the second.
SECOND_INSTANCE = "MIG-62738495-a6b7-c8d9-eafb-0c1d2e3f5061"


@pytest.mark.usefixtures("trash")
def test_equal_what_pytorch_says(cuda: CudaKernel) -> None:
    """In use, cached, peak, free, capacity and outside; the GPU is a real one to the helper."""
    cuda.good("y = torch.empty(100, 1000, 1000, device='cuda'); z = y[:50].clone(); del y")
    device = cuda.check_numbers()
    assert device["simulated"] is False
    assert device["name"] == cuda.value("torch.cuda.get_device_name()")


@pytest.mark.usefixtures("trash")
def test_a_cells_peak_is_the_allocators(cuda: CudaKernel) -> None:
    """What a cell kept and how high it was."""
    cuda.good("torch.cuda.init(); torch.ones(1, device='cuda')")
    since = cuda.now
    cuda.good(
        "a = torch.empty(2**30, dtype=torch.uint8, device='cuda')\n"
        "del a\n"
        "b = torch.empty(2**26, dtype=torch.uint8, device='cuda')",
        cell_id="cell",
    )
    (memory,) = cuda.await_event("cell", since, status="ok")["memory"]
    assert memory["change_bytes"] == 64 * MIB
    assert memory["peak_bytes"] == cuda.value("torch.cuda.max_memory_allocated()")
    assert memory["peak_at_most_bytes"] == memory["peak_bytes"]


def test_a_memory_fraction_is_the_capacity(cuda: CudaKernel) -> None:
    """Where the process may use only a part of the GPU, that part is the capacity.

    PyTorch up to 2.5 does not tell: the GPU's size is shown, and not as a limit.
    """
    is_known = cuda.value("hasattr(torch._C, '_cuda_getMemoryFraction')")
    cuda.good("torch.cuda.set_per_process_memory_fraction(0.5)")
    device = cuda.device()
    total = cuda.value("torch.cuda.get_device_properties(0).total_memory")
    expected = (True, total // 2) if is_known else (False, total)
    assert (device["capacity_limited"], device["capacity_bytes"]) == expected
    cuda.good("torch.cuda.set_per_process_memory_fraction(1.0)")
    assert cuda.device()["capacity_limited"] is False


@pytest.mark.parametrize("driver", ["new", "old"])
def test_what_others_use(start_cuda: StartCuda, tmp_path: Path, driver: str) -> None:
    """Another notebook and another program are outside; both are listed."""
    share = str(tmp_path / "share")
    first, second = (start_cuda(share=share, outside="1GiB", nvml=driver) for _ in range(2))
    second.good("import torch\ny = torch.empty(2**32, dtype=torch.uint8, device='cuda')")
    first.good("import torch\nx = torch.empty(2**31, dtype=torch.uint8, device='cuda')")
    first.until(lambda: first.device()["others_bytes"] == 5 * GIB + CONTEXT)
    device = first.device()
    assert device["in_use_bytes"] == 2 * GIB
    # The older call counts what the driver keeps for itself as used; PyTorch knows the size.
    assert device["outside_bytes"] == 5 * GIB + 2 * CONTEXT
    assert device["free_bytes"] == 16 * GIB - 7 * GIB - 2 * CONTEXT


@pytest.mark.parametrize("visible", ["1", SECOND_INSTANCE], ids=["first", "by its UUID"])
def test_a_part_of_a_gpu(start_cuda: StartCuda, visible: str) -> None:
    """Of GPUs split by MIG a process uses one instance, and nothing beside it."""
    kernel = start_cuda(devices="16GiB,24GiB", mig="0,3", CUDA_VISIBLE_DEVICES=visible)
    kernel.good("import torch\nkept = torch.empty(2**30, dtype=torch.uint8, device='cuda')")
    device = kernel.check_numbers()
    assert (device["name"], device["capacity_bytes"]) == ("Stub A100 MIG 1g.8gb", 8 * GIB)
    assert (device["in_use_bytes"], device["others_bytes"]) == (GIB, 0)
    uuid = kernel.value("str(getattr(torch.cuda.get_device_properties(0), 'uuid', ''))")
    assert uuid in ("", device["uuid"])  # since PyTorch 2.5
    assert len(kernel.sample()["devices"]) == 1
