"""Ranks that are forked from a notebook, on a real CUDA build: each has a context of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cuda.kernel import GIB, MIB

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


def test_what_filled_the_card_of_a_rank_is_measured_there(start_cuda: StartCuda) -> None:
    """The card has its numbers to the byte, and the kernel still no context."""
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


def test_ranks_of_a_kernel_that_has_started_cuda_are_as_without_us(start_cuda: StartCuda) -> None:
    """PyTorch refuses them, which is no full card."""
    kernel = start_cuda(devices="16GiB,16GiB")
    kernel.good(TRAIN + "\ntorch.ones(1, device='cuda')")
    run = kernel.run(LAUNCH, stop_on_error=False)
    assert "Cannot re-initialize CUDA in forked subprocess" in run.reply["evalue"]
    assert [kind for kind, _ in run.outputs if kind == "display_data"] == []
