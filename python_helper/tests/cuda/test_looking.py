"""To look starts nothing: the calls of CUDA are counted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.cuda.kernel import CONTEXT, FAIL, GIB, MIB, TRAIN, is_played

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.cuda.conftest import StartCuda
    from tests.cuda.kernel import CudaKernel

pytestmark = pytest.mark.cuda

# To read the driver's totals, and whether another process has made a context.
LOOKS = {"cuDevicePrimaryCtxGetState"}
# Where this process has a context already: what is free on a GPU, which is the current one for
# that moment, and whether a graph is being captured, which emptying the cache would break.
LOOKS_AT_WORK = {
    *LOOKS,
    *("cudaGetDevice", "cudaSetDevice", "cudaMemGetInfo", "cudaStreamIsCapturing"),
}


def look(kernel: CudaKernel) -> dict[str, Any]:
    """Poll as a page does, and ask for everything a person can ask for without a change."""
    for _ in range(3):
        sample: dict[str, Any] = kernel.sample()
        time.sleep(0.2)
    kernel.asked("plan")
    kernel.asked("holders")
    for name in kernel.value("[each for each in ('model', 'out', 'kept') if each in globals()]"):
        kernel.asked("path", holder_id=f"0/names/{name}")
    kernel.asked("cleanup", items=None)
    for kind in ("cells", "history"):
        assert kernel.ask(kind)
    return sample


def other_calls(calls: Iterable[str], looks: set[str] = LOOKS) -> list[str]:
    """What is no mere look."""
    return [call for call in calls if not call.startswith("nvml") and call not in looks]


@pytest.mark.parametrize("installed", [False, True], ids=["injected", "installed"])
def test_makes_no_context(start_cuda: StartCuda, *, installed: bool) -> None:
    """Not before PyTorch, not once it is imported, and on no second GPU."""
    kernel = start_cuda(installed=installed, devices="16GiB,16GiB")
    for code in ("1", "import torch", "import torch.cuda"):
        kernel.good(code)
        sample = look(kernel)
    assert sample["state"] == "not_initialised"
    assert [device["capacity_bytes"] for device in sample["devices"]] == [16 * GIB] * 2
    calls = kernel.calls()
    assert other_calls(calls) == []
    assert "nvmlInit_v2" in calls
    kernel.good("x = torch.ones(2**20, device='cuda:1')")
    old_calls = kernel.calls()
    sample = look(kernel)
    assert other_calls(kernel.calls()[len(old_calls) :]) == []
    assert kernel.calls().count("context") == 1
    assert [(device["in_use_bytes"], device["outside_bytes"]) for device in sample["devices"]] == [
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


STATES = {
    "a context": "torch.cuda.init(); torch.ones(1, device='cuda:0')",
    "training": TRAIN,
    "both GPUs": f"{TRAIN}\nkept = torch.empty(2**28, device='cuda:1')",
    "a freed graph": f"{TRAIN}\nout.sum().backward()",
    "another stream": "with torch.cuda.stream(torch.cuda.Stream()):\n"
    "    kept = torch.ones(2**20, device='cuda')",
}


@pytest.fixture(scope="module")
def two(start_cuda: StartCuda) -> CudaKernel:
    """A kernel with two GPUs."""
    kernel = start_cuda(devices="16GiB,16GiB")
    kernel.good("import torch")
    return kernel


# What CUDA and the allocators of both GPUs have counted; peaks, settings and failures are in it.
BOOKS = (
    "hash(str(([torch.cuda.memory_stats(each) for each in range(2)],"
    " torch.cuda.memory_snapshot())))"
)


def contexts_of(kernel: CudaKernel) -> int:
    """How many contexts have been made."""
    return kernel.calls().count("context")


def changes(kernel: CudaKernel) -> tuple[list[str], bool]:
    """Look, and return what else CUDA was asked, and whether the allocator's books are others."""
    contexts, before, books = contexts_of(kernel), kernel.counted(), kernel.value(BOOKS)
    look(kernel)
    kernel.good("1")  # what each cell's badge is made of is read at its edges
    kernel.good("2")
    after = kernel.counted()
    assert contexts_of(kernel) == contexts
    names = [name for name, count in after.items() if count > before.get(name, 0)]
    return other_calls(names, LOOKS_AT_WORK), kernel.value(BOOKS) != books


@pytest.mark.parametrize("state", STATES)
def test_asks_cuda_for_nothing_but_numbers(two: CudaKernel, state: str) -> None:
    """No memory, no kernel, no stream or event, no copy, nothing is waited for, on either GPU."""
    two.good(f"%reset -f\nimport torch\n{STATES[state]}")
    two.good("1")
    assert changes(two) == ([], False)


def test_a_change_would_be_counted(two: CudaKernel) -> None:
    """What a cell does to the GPU shows in the same numbers."""
    before, books = two.counted(), two.value(BOOKS)
    two.good("torch.ones(2**30, device='cuda:1').numel(); torch.cuda.synchronize()")
    after = two.counted()
    names = {name for name, count in after.items() if count > before.get(name, 0)}
    assert {"cudaMalloc", "cudaDeviceSynchronize"} <= names
    assert any("LaunchKernel" in name for name in names)
    assert two.value(BOOKS) != books


def test_asks_for_nothing_after_a_failure(two: CudaKernel) -> None:
    """The GPU is built from what the allocator and Python know, and so is what is asked later."""
    two.good(f"%reset -f\nimport torch\n{TRAIN}")
    two.fail(FAIL)
    assert changes(two) == ([], False)


def test_a_running_cell_is_left_alone(two: CudaKernel) -> None:
    """Whatever is asked for, nothing is freed or emptied before its end, and then it is."""
    two.good("%reset -f\nimport torch")
    two.release()
    two.good("torch.empty(2**24, device='cuda').numel()")
    before, since = len(two.calls()), two.now
    with two.busy_cell():
        for kind in ("plan", "holders"):
            two.ask(kind)
        reply = two.ask("release", items=["cache"], confirmed=[], report_id=None)
        for _ in range(5):
            two.sample()
            time.sleep(0.2)
        during = two.calls()[before:]
        assert other_calls(during, LOOKS_AT_WORK) == []
    two.await_event("released", since, release_id=reply["release_id"])
    assert "cudaFree" in two.calls()[before + len(during) :]
