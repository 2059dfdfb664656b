"""A real kernel whose PyTorch is an unchanged CUDA build, on GPUs that the stub plays."""

from __future__ import annotations

import importlib.metadata
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from tests.live import LiveKernel

if TYPE_CHECKING:
    from tests.live import Pack, Run

MIB, GIB = 2**20, 2**30
MIME = "application/vnd.gpu-headroom.report+json"
CONTEXT = 420 * MIB
"""What a context of the stub takes."""
WORKSPACE = 8 * MIB + 128 * 2**10
"""What PyTorch up to 2.14 keeps for each handle of cuBLAS and stream, before Hopper."""

VARIABLE = "GPU_HEADROOM_CUDA"
"""Set where tests run in an environment with a CUDA build, over the stub made for it."""
REAL = "GPU_HEADROOM_CUDA_REAL"
"""Set as well where the GPU is a real one, and nothing is played."""


def is_here() -> bool:
    """Whether these tests can run."""
    return VARIABLE in os.environ


def is_played() -> bool:
    """Whether the GPU is the stub's."""
    return REAL not in os.environ


def need_the_stub(what: str) -> None:
    """Leave a test out on a real GPU: only the stub plays `what`, or counts it."""
    if not is_played():
        pytest.skip(f"only the stub plays it: {what}")


def parts_of(device: dict[str, Any]) -> dict[str, int]:
    """Return the parts of a device's account by their kind."""
    return {part["kind"]: part["bytes"] for part in device["parts"]}


def torch_version() -> tuple[int, ...]:
    """The version of PyTorch in this environment, which its kernels have too."""
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", importlib.metadata.version("torch"))
    assert match
    return tuple(int(part) for part in match.groups())


TRAIN = """
import torch
from torch import nn
model = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(1024, 1024), nn.ReLU())]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
def step(n=256):
    out = model(torch.randn(n, 1024, device='cuda')).sum()
    out.backward()
    optimizer.step()
step()
out = model(torch.randn(256, 1024, device='cuda'))
"""
"""A step of training, and a result whose graph is kept."""

FAIL = """def fill(model, x):
    kept = []
    while True:
        x = model(x)
        kept.append(x)
big = torch.nn.Sequential(torch.nn.Linear(4096, 4096), torch.nn.ReLU()).cuda()
batch = torch.randn(65536, 4096, device='cuda')
fill(big, batch)
"""
"""Runs out of memory on line 4, a GiB at a time."""


class CudaKernel(LiveKernel):
    """One page is attached; the helper is injected where there is a pack, else installed.

    Variables in lower case are the stub's: `devices="16GiB,24GiB"` is CUDA_RUNTIME_DEVICES.
    """

    def __init__(self, folder: Path, pack: Pack | None = None, **variables: str) -> None:
        self._calls = folder / "calls"
        settings = sorted(name for name in variables if name.islower())
        if settings:
            need_the_stub(", ".join(settings))
        environment = {
            f"CUDA_RUNTIME_{name.upper()}" if name.islower() else name: value
            for name, value in variables.items()
        }
        environment["CUDA_RUNTIME_LOG"] = str(self._calls)
        super().__init__(Path(sys.executable), folder, installed=pack is None, **environment)
        if pack is None:
            self.good("%load_ext gpu_headroom")
        else:
            self.inject(pack)
        self.attach()

    def good(self, code: str, **options: Any) -> Run:
        """Run a cell that has to succeed."""
        run = self.run(code, **options)
        assert run.status == "ok", run.outputs
        return run

    def fail(self, code: str, **options: Any) -> dict[str, Any]:
        """Run a cell that has to fail, and return its report."""
        run = self.run(code, stop_on_error=False, **options)
        assert [kind for kind, _ in run.outputs][-2:] == ["error", "display_data"], run.outputs
        return cast("dict[str, Any]", run.outputs[-1][1]["data"][MIME])

    def release(
        self, *items: str, confirmed: bool = False, report_id: str | None = None
    ) -> dict[str, Any]:
        """Release some items, or the safe set, and return what was measured."""
        since = self.now
        agreed = list(items) if confirmed else []
        reply = self.ask(
            "release", items=list(items) or None, confirmed=agreed, report_id=report_id
        )
        return self.await_event("released", since, release_id=reply["release_id"])

    def expected(self) -> dict[str, int]:
        """What the items of a plan would give back, by their ids."""
        return {item["id"]: item["expected_bytes"] for item in self.asked("plan")["items"]}

    def device(self, index: int = 0) -> dict[str, Any]:
        """One device of a poll."""
        return cast("dict[str, Any]", self.sample()["devices"][index])

    def allocated(self) -> int:
        """What PyTorch says is in use."""
        return cast("int", self.value("torch.cuda.memory_allocated()"))

    def shows_graphs(self) -> bool:
        """Whether graphs of this PyTorch show all that they have saved."""
        return cast("bool", self.value("hasattr(torch._C._autograd.SavedTensor, 'data')"))

    def tells_sharing(self) -> bool:
        """Whether this PyTorch tells how many tensors have the same storage."""
        return cast("bool", self.value("hasattr(torch._C, '_storage_Use_Count')"))

    def check_numbers(self, index: int = 0) -> dict[str, Any]:
        """Hold the numbers of a device to what PyTorch and CUDA say, to the byte."""
        device = self.device(index)
        allocated, reserved, peak, free, total = self.value(
            f"(torch.cuda.memory_allocated({index}), torch.cuda.memory_reserved({index}),"
            f" torch.cuda.max_memory_allocated({index}), *torch.cuda.mem_get_info({index}))"
        )
        assert device["in_use_bytes"] == allocated
        assert device["cached_bytes"] == reserved - allocated
        assert device["frameworks"][0]["peak_in_use_bytes"] == peak
        assert (device["free_bytes"], device["capacity_bytes"]) == (free, total)
        assert device["outside_bytes"] == total - free - reserved
        assert device["used_bytes"] + device["headroom_bytes"] == total
        return device

    # --- What CUDA was asked ------------------------------------------------

    def calls(self) -> list[str]:
        """The names of the calls that were written down so far, those of children too."""
        need_the_stub("calls")
        if not self._calls.exists():
            return []
        return [line.split()[2] for line in self._calls.read_text().splitlines()]

    def counted(self) -> dict[str, int]:
        """How often each function was called, also of those that are not written down."""
        need_the_stub("calls")
        text = self.value(
            "(lambda c: (t := c.create_string_buffer(2**16), "
            "c.CDLL('libcuda_runtime_stub.so').stub_report(t, 2**16), t.value)[2])"
            "(__import__('ctypes'))"
        ).decode()
        return {name: int(calls) for name, calls in map(str.split, text.splitlines())}

    def poison(self, status: int) -> str:
        """Return code after which each call of CUDA fails with a status; 0 heals."""
        need_the_stub("errors")
        return f"__import__('ctypes').CDLL('libcuda_runtime_stub.so').stub_poison({status})\n"
