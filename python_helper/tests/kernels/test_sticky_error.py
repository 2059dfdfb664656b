"""CUDA stops in a kernel: the report says so, and from then on nothing of ours touches the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.live import UNTIL_READ, LiveKernel, attached

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack, Run

GPU = "4GiB"
# Everything the simulated GPU can be asked through: PyTorch's C functions and the driver.
COUNT = """
import torch, gpu_headroom
kept = torch.empty(2**20, device="cuda")
touched = []
def watch(name, original):
    def watched(*args, **kwargs):
        touched.append(name)
        return original(*args, **kwargs)
    return watched
for name in dir(torch._C):
    if name.startswith(("_cuda_", "_accelerator_")) and name != "_cuda_isInBadFork":
        setattr(torch._C, name, watch(name, getattr(torch._C, name)))
for name in ("mem_get_info", "get_device_properties", "empty_cache", "synchronize"):
    setattr(torch.cuda, name, watch(name, getattr(torch.cuda, name)))
from gpu_headroom.readings.nvml import Driver
Driver.read = watch("driver", Driver.read)
Driver.processes = watch("driver", Driver.processes)
import gc
gc.collect = watch("gc", gc.collect)
"""
# What native code raises; no GPU here can really stop.
STOP = """
import ctypes
def train():
    held = kept * 2
    error = {kind}("CUDA error: device-side assert triggered\\nCUDA kernel errors might be late")
    ctypes.pythonapi.PyErr_SetObject(ctypes.py_object(type(error)), ctypes.py_object(error))
train()
"""
# A look at PyTorch's own books is no call of CUDA's. At the end of each cell that succeeds it
# shows whether CUDA has answered.
BOOKS = ["_cuda_getAllocatorBackend", "_cuda_memoryStats"]


@pytest.fixture(scope="module")
def stopped(
    python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LiveKernel, Run]]:
    """A kernel of each generation whose CUDA stopped in a cell, as far as its error says."""
    folder = tmp_path_factory.mktemp("sticky_error")
    with attached(python, folder, pack, installed=True, GPU_HEADROOM_SIMULATE="4GiB") as kernel:
        kernel.run(COUNT)
        run = kernel.run(
            STOP.format(kind="torch.AcceleratorError"),
            cell_id="failing",
            stop_on_error=False,
        )
        yield kernel, run


def test_the_report_says_that_only_a_restart_helps(stopped: tuple[LiveKernel, Run]) -> None:
    """One remedy, no number, and the live helper vouches for it."""
    kernel, run = stopped
    assert [kind for kind, _ in run.outputs][-2:] == ["error", "display_data"]
    report = run.report
    assert report["sticky_error"] is True
    assert [remedy["kind"] for remedy in report["remedies"]] == ["restart"]
    assert report["cause"]["claim"]["params"] == {"said": "device-side assert triggered"}
    assert (report["cell_id"], report["line"]) == ("failing", 6)
    assert {report[key] for key in report if key.endswith("_bytes")} <= {None, 4 * 2**30}
    assert "only a restart helps" in run.bundle["text/plain"]
    assert "only a restart helps" in run.bundle["text/html"]
    reply = kernel.ask("report", helper_id=report["helper_id"], report_id=report["report_id"])
    assert reply["status"] == "known"


def test_nothing_touches_the_gpu_from_the_error_on(stopped: tuple[LiveKernel, Run]) -> None:
    """Neither the report nor a page's requests, cells and settings; the user's tensors stay."""
    kernel, _ = stopped
    kernel.run("touched.clear()")
    kernel.attach(record_allocations=True)
    kernel.sample()
    kernel.run(UNTIL_READ)
    wishes: dict[str, dict[str, Any]] = {
        "holders": {},
        "plan": {},
        "path": {"holder_id": "names/kept"},
        "snapshot": {"path": None},
    }
    for kind, keys in wishes.items():
        kernel.await_event(kind, request_id=kernel.ask(kind, **keys)["id"])
    reply = kernel.ask("release", items=None, confirmed=[], report_id=None)
    event = kernel.await_event("released", release_id=reply["release_id"])
    kernel.ask("cleanup", items=None)
    kernel.run("1 / 0", stop_on_error=False)
    assert kernel.value("touched") == BOOKS * 2
    assert event["status"] == "failed"
    assert event["message"]["id"] == "sticky_error.sentence"
    assert kernel.value("kept.numel()") == 2**20


def test_by_hand_it_says_the_same_and_touches_nothing(stopped: tuple[LiveKernel, Run]) -> None:
    """What a person calls refuses in the same words as what a page asks for."""
    kernel, _ = stopped
    kernel.run("touched.clear()")
    for call in ("save_memory_snapshot", "holders", "free"):
        assert "only a restart helps" in kernel.value(f"str(gpu_headroom.{call}())").lower()
    assert kernel.value("gpu_headroom.plan()") == []
    assert kernel.value("touched") == BOOKS
    assert kernel.value("__import__('glob').glob('*.pickle')") == []


def test_the_numbers_say_that_they_are_old(stopped: tuple[LiveKernel, Run]) -> None:
    """What was in use last stays, headroom is not measured, and a note says why."""
    (device,) = stopped[0].sample()["devices"]
    assert [note["id"] for note in device["notes"]] == ["sticky_error.sentence"]
    assert device["in_use_bytes"] >= 4 * 2**20
    assert device["headroom_bytes"] is None
    assert device["used_bytes"] is None


def test_a_later_cell_is_told_that_it_is_not_at_fault(stopped: tuple[LiveKernel, Run]) -> None:
    """Each call of CUDA gives the old error again, in older versions of another class."""
    run = stopped[0].run(STOP.format(kind="RuntimeError"), stop_on_error=False)
    assert run.report["cause"]["evidence"]["id"] == "sticky_error.evidence_again"


def test_an_error_that_is_not_ours_changes_nothing(
    newest_python: Path, pack: Pack, tmp_path: Path
) -> None:
    """Without a framework on the GPU no CUDA of this kernel has stopped."""
    with attached(newest_python, tmp_path, pack) as kernel:
        run = kernel.run("kept = 1\n" + STOP.format(kind="RuntimeError"), stop_on_error=False)
        assert [kind for kind, _ in run.outputs] == ["error"]


@pytest.fixture(scope="module")
def wrong(simulated: LiveKernel) -> LiveKernel:
    """A kernel whose CUDA goes on, whatever is said of it."""
    simulated.run("import torch, gpu_headroom; kept = torch.empty(2**20, device='cuda')")
    return simulated


def notes(kernel: LiveKernel) -> list[str]:
    """What a page is told beside the numbers."""
    (device,) = kernel.sample()["devices"]
    return [note["id"] for note in device["notes"]]


def test_goes_on_when_cuda_answers_after_all(wrong: LiveKernel) -> None:
    """Memory from the driver proves it; what PyTorch has in its cache or a failed cell does not."""
    run = wrong.run(STOP.format(kind="RuntimeError"), cell_id="wrong", stop_on_error=False)
    assert run.report["sticky_error"] is True
    wrong.run("from_cache = torch.empty(2**20, device='cuda')")
    wrong.run("1 / 0", stop_on_error=False)
    wrong.run("more = torch.empty(2**28, device='cuda'); 1 / 0", stop_on_error=False)
    assert notes(wrong) == ["sticky_error.sentence"]
    since = wrong.now
    wrong.run("1", cell_id="proof")
    assert notes(wrong) == []
    event = wrong.await_event("cell", since, cell_id="proof", status="ok")
    assert event["memory"] == []  # its start was not measured
    (device,) = wrong.sample()["devices"]
    assert device["in_use_bytes"] >= 2**30
    assert device["headroom_bytes"] is not None
    assert "only a restart" not in wrong.value("str(gpu_headroom.free())").lower()
    since = wrong.now
    wrong.run("again = torch.empty(2**20, device='cuda')", cell_id="after")
    (memory,) = wrong.await_event("cell", since, cell_id="after", status="ok")["memory"]
    assert memory["change_bytes"] == 4 * 2**20
