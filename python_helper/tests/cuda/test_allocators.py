"""Settings of PyTorch's allocator, and captured graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cuda.kernel import FAIL, TRAIN, torch_version

if TYPE_CHECKING:
    from tests.cuda.conftest import StartCuda

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize(
    "setting",
    ["expandable_segments:True", "max_split_size_mb:64", "garbage_collection_threshold:0.8"],
)
def test_settings_of_the_native_allocator(start_cuda: StartCuda, setting: str) -> None:
    """Numbers, GPU, account and release are as exact as without."""
    if setting.startswith("expandable") and torch_version() < (2, 1):
        pytest.skip("expandable segments came with PyTorch 2.1")
    kernel = start_cuda(PYTORCH_CUDA_ALLOC_CONF=setting)
    kernel.good(TRAIN)
    kernel.check_numbers()
    report = kernel.fail(FAIL, cell_id="failing")
    kernel.check_numbers()
    released = kernel.release("traceback", report_id=report["report_id"])
    assert released["freed_bytes"] == report["traceback_bytes"]
    kernel.check_numbers()
    (device,) = kernel.asked("holders")["devices"]
    assert device["in_use_bytes"] == kernel.allocated()


def test_cuda_malloc_async(start_cuda: StartCuda) -> None:
    """Another allocator than PyTorch's own: in use is right, and every request is answered."""
    kernel = start_cuda(PYTORCH_CUDA_ALLOC_CONF="backend:cudaMallocAsync")
    kernel.good(TRAIN)
    assert kernel.device()["in_use_bytes"] == kernel.allocated()
    report = kernel.fail(FAIL, cell_id="failing")
    kernel.asked("holders")
    kernel.asked("plan")
    before = kernel.allocated()
    released = kernel.release("traceback", report_id=report["report_id"])
    assert released["status"] == "done"
    assert before - kernel.allocated() == released["freed_bytes"] > 0


def test_captured_graphs_go_on_working(start_cuda: StartCuda) -> None:
    """Readings while one is captured, and a release afterwards, do not spoil it."""
    kernel = start_cuda()
    kernel.good(
        "import torch, time\n"
        "x = torch.ones(1000, device='cuda')\n"
        "graph = torch.cuda.CUDAGraph()\n"
        "with torch.cuda.graph(graph):\n"
        "    y = x + 1\n"
        "    time.sleep(0.5)\n"
        "graph.replay()"
    )
    kernel.check_numbers()
    kernel.release()
    kernel.good("graph.replay()")
    kernel.check_numbers()
