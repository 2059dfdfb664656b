"""Ranks that are forked from a notebook, on a real CUDA build: each has a context of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.cuda.kernel import CONTEXT, GIB, MIB

if TYPE_CHECKING:
    from tests.cuda.conftest import StartCuda

pytestmark = pytest.mark.cuda

TRAIN = """import torch
from torch import nn
from torch.multiprocessing import start_processes

def train(rank):
    torch.cuda.set_device(rank)
    model = nn.Linear(1024, 1024, bias=False).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    kept = []
    for size in (1, 1024, 2**16) if rank else (1,):
        kept.append(torch.empty(size, 2**20, dtype=torch.uint8, device="cuda"))
"""
LAUNCH = 'start_processes(train, nprocs=2, start_method="fork")'


def test_what_filled_the_gpu_of_a_rank_is_measured_there(start_cuda: StartCuda) -> None:
    """The GPU has its numbers to the byte, and the kernel still no context."""
    kernel = start_cuda(devices="16GiB,16GiB")
    kernel.good(TRAIN, cell_id="train")
    report: dict[str, Any] = kernel.fail(LAUNCH, cell_id="launch")
    assert (report["measured"], report["worker"]["rank"]) == ("worker", 1)
    assert (report["device_index"], report["requested_bytes"]) == (1, 64 * GIB)
    assert report["capacity_bytes"] == 16 * GIB
    assert report["in_use_bytes"] == 4 * MIB + MIB + GIB
    parts = {part["kind"]: part["bytes"] for part in report["parts"]}
    assert (parts["parameters"], parts["other_tensors"]) == (4 * MIB, MIB + GIB)
    assert "not_attributed" not in parts
    origin = report["origin"]
    assert (origin["cell_id"], origin["line"], origin["function"]) == ("train", 11, "train")
    assert kernel.value("torch.cuda.is_initialized()") is False
    assert kernel.sample()["state"] == "not_initialised"


HOLD = """
import json, os, pathlib, time
import torch

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
kept = [torch.empty(size, device="cuda") for size in (rank + 1, 1025, 3_000_001)]
kept.append(torch.nn.Linear(123, 457).cuda()(torch.ones(7, 123, device="cuda")))
kept.pop(1)
said = [torch.cuda.memory_allocated(), torch.cuda.memory_reserved()]
pathlib.Path(f"said-{rank}").write_text(json.dumps(said))
while not os.path.exists("go"):
    time.sleep(0.05)
"""
RUN = "-m torch.distributed.run --nproc-per-node=2 -m gpu_headroom run hold.py"


def test_ranks_say_what_pytorch_counts(start_cuda: StartCuda) -> None:
    """To the byte, on the GPU that each has, and with its context outside."""
    kernel = start_cuda(installed=True, devices="16GiB,24GiB")
    folder = kernel._log_path.parent
    (folder / "hold.py").write_text(HOLD)
    kernel.good("import sys")
    kernel.start_cell(f"print('begun')\n!{{sys.executable}} {RUN}")
    kernel.until(lambda: all((folder / f"said-{rank}").exists() for rank in (0, 1)))

    def workers() -> list[Any]:
        gpus = kernel.ask("workers", host=None, filter="")["gpus"]
        return sorted(gpus, key=lambda gpu: gpu["index"])

    counts = [json.loads((folder / f"said-{rank}").read_text()) for rank in (0, 1)]
    # A reading may be from before the last of it was taken.
    in_use_bytes = [in_use for in_use, _ in counts]
    kernel.until(lambda: [gpu["in_use_bytes"] for gpu in workers()] == in_use_bytes)
    for rank, (gpu, (in_use, reserved)) in enumerate(zip(workers(), counts, strict=True)):
        (worker,) = gpu["workers"]
        assert (worker["rank"], worker["in_use_bytes"]) == (rank, in_use)
        assert gpu["in_use_bytes"] + gpu["cached_bytes"] == reserved
        assert gpu["outside_bytes"] == CONTEXT
        assert gpu["capacity_bytes"] == (24 if rank else 16) * GIB
    (folder / "go").touch()
    kernel.await_event("cell", status="ok")
    assert kernel.sample()["state"] in {"no_framework", "not_initialised"}
