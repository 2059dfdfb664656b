"""Several GPUs, other programs, and a driver that hides them: simulated GPUs in real kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import LiveKernel

GPU = "16GiB*2"
GIB = 2**30
CONTEXT = 420 * 2**20
CONTEXTS = "[gpu.has_context for gpu in __import__('gpu_headroom').simulate.active().gpus]"
CALLS = "dict(__import__('gpu_headroom').readings.nvml.DRIVER._library._library.calls)"


@pytest.fixture
def two(fresh: LiveKernel) -> LiveKernel:
    """A kernel with two GPUs of 16 GiB, PyTorch imported and not used."""
    fresh.run("import torch")
    return fresh


def figures(sample: Any, *keys: str) -> list[tuple[Any, ...]]:
    """These figures of each device."""
    return [tuple(device[key] for key in keys) for device in sample["devices"]]


def test_the_driver_tells_before_pytorch_has_started(two: LiveKernel) -> None:
    """Each GPU is there with its totals, by name and as simulated, and no context is made."""
    sample = two.sample()
    assert sample["state"] == "not_initialised"
    assert figures(sample, "index", "name", "simulated", "frameworks") == [
        (0, "Simulated GPU", True, []),
        (1, "Simulated GPU", True, []),
    ]
    assert figures(sample, "used_bytes", "headroom_bytes", "others_bytes") == [(0, 16 * GIB, 0)] * 2
    assert two.value(CONTEXTS) == [False, False]
    assert two.value("torch.cuda.is_initialized()") is False


def test_outside_is_measured_for_each_device(two: LiveKernel) -> None:
    """The device that is used has a context outside; the other one is left without."""
    two.run("kept = torch.empty(3 * 2**30, dtype=torch.uint8, device='cuda:1')")
    since = two.now
    with two.busy_cell():
        two.await_event("sample", since, busy=True)
    sample = two.sample()
    assert sample["state"] == "live"
    assert figures(sample, "index", "in_use_bytes", "outside_bytes", "free_bytes") == [
        (0, 0, 0, 16 * GIB),
        (1, 3 * GIB, CONTEXT, 13 * GIB - CONTEXT),
    ]
    assert [uuid for (uuid,) in figures(sample, "uuid")] == [
        two.value(f"str(torch.cuda.get_device_properties({index}).uuid)") for index in range(2)
    ]
    assert two.value(CONTEXTS) == [False, True]
    assert all(name.startswith(("nvmlInit", "nvmlDeviceGet")) for name in two.value(CALLS))


def start_beside_others(start: Start) -> LiveKernel:
    """Start a kernel on a GPU of 8 GiB of which others than PyTorch have 3."""
    kernel = start(installed=True)
    kernel.run(
        "%load_ext gpu_headroom\n"
        "import gpu_headroom, torch\n"
        f"simulation = gpu_headroom.simulate('8 GiB', outside={3 * GIB})\n"
        "kept = torch.ones(2**20, device='cuda')"
    )
    kernel.attach()
    return kernel


def test_a_report_names_others_where_the_settings_allow_it(start_newest: Start) -> None:
    """Names and ids of other programs stand in the details of a report, or nowhere in it."""
    kernel = start_beside_others(start_newest)
    fail = "torch.empty(6 * 2**30, dtype=torch.uint8, device='cuda')"
    named = str(kernel.run(fail, stop_on_error=False).outputs[-1])
    assert "simulated-program, process " in named
    kernel.attach(name_others=False)
    unnamed = str(kernel.run(fail, stop_on_error=False).outputs[-1])
    assert "Outside this kernel" in unnamed
    assert "simulated-program" not in unnamed


def test_a_report_names_a_gpu_that_has_room(two: LiveKernel) -> None:
    """Not where that is as full: what a program needs in all has to fit."""
    layers = "torch.nn.Sequential(*[torch.nn.Linear(8192, 8192) for _ in range(70)])"
    model = f"with torch.device('cuda'):\n    model = {layers}"
    remedies = [remedy for remedy in offers(two, model) if remedy["id"] == "other-gpu"]
    assert [remedy["title"]["params"]["index"] for remedy in remedies] == [1]
    two.run("kept = torch.empty(12 * 2**30, dtype=torch.uint8, device='cuda:1')")
    assert "other-gpu" not in [remedy["id"] for remedy in offers(two, model)]


def offers(kernel: LiveKernel, cell: str) -> list[dict[str, Any]]:
    """Run a cell that runs out of memory; return what its report offers."""
    run = kernel.run(cell, stop_on_error=False)
    assert run.status == "error"
    return list(run.report["remedies"])
