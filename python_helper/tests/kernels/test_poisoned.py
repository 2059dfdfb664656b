"""CUDA stops in a kernel: the card says so, and from then on nothing of ours touches the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.live import LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Packs, Run

MIME = "application/vnd.gpu-headroom.report+json"
# Everything the simulated card can be asked through: PyTorch's C functions and the driver.
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
from gpu_headroom.sources.nvml import Driver
Driver.read = watch("driver", Driver.read)
Driver.processes = watch("driver", Driver.processes)
import gc
gc.collect = watch("gc", gc.collect)
"""
STOP = """
labels = 1000
def train():
    held = kept * 2
    raise {kind}("CUDA error: device-side assert triggered\\nCUDA kernel errors might be reported")
train()
"""


@pytest.fixture(scope="module")
def stopped(
    python: Path, packs: Packs, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LiveKernel, Run]]:
    """A kernel of each generation whose CUDA stopped in a cell, as far as its error says."""
    folder = tmp_path_factory.mktemp("poisoned")
    with LiveKernel(python, folder, installed=True, GPU_HEADROOM_SIMULATE="4GiB") as kernel:
        kernel.inject(packs, more=False)
        kernel.attach()
        kernel.run(COUNT)
        run = kernel.run(
            "touched.clear()\n" + STOP.format(kind="torch.AcceleratorError"),
            cell_id="failing",
            stop_on_error=False,
        )
        kernel.run("in_time, in_cell = list(touched), touched.clear()")
        yield kernel, run


def report_of(run: Run) -> dict[str, Any]:
    """The report in a failing cell's card."""
    assert [kind for kind, _ in run.outputs][-2:] == ["error", "display_data"]
    found: dict[str, Any] = run.outputs[-1][1]["data"][MIME]
    return found


def test_the_card_says_that_only_a_restart_helps(stopped: tuple[LiveKernel, Run]) -> None:
    """One remedy, no number, and the live helper vouches for it."""
    kernel, run = stopped
    report = report_of(run)
    assert report["poisoned"] is True
    assert [each["id"] for each in report["remedies"]] == ["restart"]
    assert report["cause"]["claim"]["params"] == {"said": "device-side assert triggered"}
    assert (report["cell_id"], report["line"]) == ("failing", 6)
    assert {report[key] for key in report if key.endswith("_bytes")} <= {None, 4 * 2**30}
    data = run.outputs[-1][1]["data"]
    assert "only a restart helps" in data["text/plain"]
    assert "only a restart helps" in data["text/html"]
    known = kernel.ask("report", life_id=report["life_id"], report_id=report["report_id"])
    assert known["status"] == "known"


def test_nothing_touches_the_gpu_from_the_error_on(stopped: tuple[LiveKernel, Run]) -> None:
    """Neither the card nor a page's requests, cells and settings; the user's tensors stay."""
    kernel, _ = stopped
    kernel.run("touched.clear()")
    kernel.attach(record_allocations=True)
    kernel.sample()
    kernel.run("import time; time.sleep(0.6)")
    wishes: dict[str, dict[str, Any]] = {
        "holders": {},
        "plan": {},
        "path": {"holder_id": "names/kept"},
        "snapshot": {"path": None},
    }
    for kind, keys in wishes.items():
        kernel.await_event(kind, request_id=kernel.ask(kind, **keys)["id"])
    reply = kernel.ask("release", items=None, confirmed=[], report_id=None)
    released = kernel.await_event("released", release_id=reply["release_id"])
    kernel.ask("cleanup", items=None)
    kernel.run("1 / 0", stop_on_error=False)
    assert kernel.value("touched") == []
    assert released["status"] == "failed"
    assert released["message"]["id"] == "poisoned.sentence"
    assert kernel.value("kept.numel()") == 2**20


def test_by_hand_it_says_the_same_and_touches_nothing(stopped: tuple[LiveKernel, Run]) -> None:
    """What a person calls refuses in the same words as what a page asks for."""
    kernel, _ = stopped
    kernel.run("touched.clear()")
    for call in ("save_memory_snapshot", "holders", "free"):
        assert "only a restart helps" in kernel.value(f"str(gpu_headroom.{call}())").lower()
    assert kernel.value("gpu_headroom.plan()") == []
    assert kernel.value("touched") == []
    assert kernel.value("__import__('glob').glob('*.pickle')") == []


def test_the_numbers_say_that_they_are_old(stopped: tuple[LiveKernel, Run]) -> None:
    """What was in use last stays, headroom is not measured, and a note says why."""
    (device,) = stopped[0].sample()["devices"]
    assert [note["id"] for note in device["notes"]] == ["poisoned.sentence"]
    assert device["in_use_bytes"] >= 4 * 2**20
    assert device["headroom_bytes"] is None
    assert device["used_bytes"] is None


def test_a_later_cell_is_told_that_it_is_not_at_fault(stopped: tuple[LiveKernel, Run]) -> None:
    """Each call of CUDA gives the old error again, in older versions of another class."""
    run = stopped[0].run(STOP.format(kind="RuntimeError"), stop_on_error=False)
    assert report_of(run)["cause"]["evidence"]["id"] == "poisoned.evidence_again"


def test_an_error_that_is_not_ours_changes_nothing(
    newest_python: Path, packs: Packs, tmp_path: Path
) -> None:
    """Without a framework on the GPU nobody's CUDA has stopped here."""
    with LiveKernel(newest_python, tmp_path) as kernel:
        kernel.inject(packs)
        kernel.attach()
        run = kernel.run("kept = 1\n" + STOP.format(kind="RuntimeError"), stop_on_error=False)
        assert [kind for kind, _ in run.outputs] == ["error"]
