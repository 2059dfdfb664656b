"""To look starts nothing: the calls of CUDA are counted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.cuda.kernel import CONTEXT, GIB, MIB, is_played

if TYPE_CHECKING:
    from tests.cuda.conftest import StartCuda
    from tests.cuda.kernel import CudaKernel

pytestmark = pytest.mark.cuda

# To read the driver's totals, and whether somebody else has made a context.
LOOKS = {"cuDevicePrimaryCtxGetState"}


def look(kernel: CudaKernel) -> dict[str, Any]:
    """Poll as a page does, and ask for everything a person can ask for."""
    for _ in range(3):
        sample: dict[str, Any] = kernel.sample()
        time.sleep(0.2)
    kernel.asked("plan")
    kernel.asked("holders")
    return sample


def others(calls: list[str]) -> list[str]:
    """What is no mere look."""
    return [each for each in calls if not each.startswith("nvml") and each not in LOOKS]


@pytest.mark.parametrize("installed", [False, True], ids=["injected", "installed"])
def test_makes_no_context(start_cuda: StartCuda, *, installed: bool) -> None:
    """Not before PyTorch, not once it is imported, and on no second card."""
    kernel = start_cuda(installed=installed, devices="16GiB,16GiB")
    for code in ("1", "import torch", "import torch.cuda"):
        kernel.good(code)
        sample = look(kernel)
    assert sample["state"] == "not_initialised"
    assert [each["capacity_bytes"] for each in sample["devices"]] == [16 * GIB] * 2
    calls = kernel.calls()
    assert others(calls) == []
    assert "nvmlInit_v2" in calls
    kernel.good("x = torch.ones(2**20, device='cuda:1')")
    used = kernel.calls()
    sample = look(kernel)
    assert others(kernel.calls()[len(used) :]) == []
    assert kernel.calls().count("context") == 1
    assert [(each["in_use_bytes"], each["outside_bytes"]) for each in sample["devices"]] == [
        (0, 0),
        (4 * MIB, CONTEXT),
    ]


def test_a_forked_process_is_left_alone(start_cuda: StartCuda) -> None:
    """Workers of a loader, and a child that tries CUDA, change nothing and make no context."""
    kernel = start_cuda()
    kernel.good("import torch, os\nx = torch.ones(2**20, device='cuda')")
    kernel.check_numbers()
    kernel.good(
        "data = torch.utils.data.TensorDataset(torch.randn(64, 3))\n"
        "rows = [x for x, in torch.utils.data.DataLoader(data, 16, num_workers=2)]\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    try:\n"
        "        torch.ones(1, device='cuda')\n"
        "    except RuntimeError:\n"
        "        os._exit(7)\n"
        "    os._exit(0)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7"
    )
    kernel.check_numbers()
    if is_played():
        assert kernel.calls().count("context") == 1
