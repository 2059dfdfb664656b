"""A function of the notebook runs out of memory in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.live import LiveKernel
from tests.programs import applied

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack, Run

REPORT = "application/vnd.gpu-headroom.report+json"
TEXT = (
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 7.00 GiB of "
    "which 1.00 GiB is free. Including non-PyTorch memory, this process has 6.00 GiB memory in "
    "use. Of the allocated memory 5.00 GiB is allocated by PyTorch, and 512.00 MiB is reserved by "
    "PyTorch but unallocated."
)
SIZE = "batch_size = 64"
# Real ranks, which PyTorch forks; what they raise is what PyTorch raises.
TRAIN = f"""
import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.zeros(512, 3))

def train(rank):
    for (batch,) in DataLoader(data, batch_size):
        if rank:
            raise torch.OutOfMemoryError({TEXT!r})
"""
LAUNCH = """
from torch.multiprocessing import start_processes

start_processes(train, nprocs=2, start_method="fork")
"""


@pytest.fixture(scope="module")
def kernel(
    newest_python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """A kernel with a simulated GPU of its own."""
    folder = tmp_path_factory.mktemp("notebook")
    with LiveKernel(newest_python, folder, installed=True, GPU_HEADROOM_SIMULATE="4GiB") as kernel:
        kernel.inject(pack)
        kernel.attach()
        for cell_id, source in (("size", SIZE), ("train", TRAIN)):
            assert kernel.run(source, cell_id=cell_id).status == "ok"
        yield kernel


def card(run: Run) -> Any:
    """The report of the only card that a cell has."""
    shown = [content["data"] for kind, content in run.outputs if kind == "display_data"]
    (found,) = [data[REPORT] for data in shown if REPORT in data]
    return found


def test_a_rank_is_named_with_the_line_of_its_cell(kernel: LiveKernel) -> None:
    """The card's numbers are the rank's, and nothing of this kernel stands among them."""
    run = kernel.run(LAUNCH, cell_id="launch", stop_on_error=False)
    report = card(run)
    worker = report["worker"]
    assert (worker["engine"], worker["rank"], worker["host"]) == ("rank", 1, None)
    assert worker["pid"] != kernel.value("__import__('os').getpid()")
    assert (report["measured"], report["also_failed"]) == ("message", 0)
    assert (report["device_index"], report["capacity_bytes"]) == (1, 7 * 2**30)
    origin = report["origin"]
    assert (origin["cell_id"], origin["function"]) == ("train", "train")
    assert TRAIN.split("\n")[origin["line"] - 1].lstrip().startswith("raise")
    assert (report["cell_id"], report["line"]) == ("launch", 4)
    assert report["holders"] == []
    text = next(c["data"]["text/plain"] for kind, c in run.outputs if kind == "display_data")
    assert text.startswith("Out of simulated GPU memory on rank 1: needed 2.00 GiB more")
    assert f"It failed in train, In [{origin['execution_count']}], line {origin['line']}." in text
    assert f"Process {worker['pid']}." in text


def test_the_batch_of_its_cell_is_halved(kernel: LiveKernel) -> None:
    """The cell that sets it runs again, and the one that sent the work."""
    report = card(kernel.run(LAUNCH, cell_id="launch", stop_on_error=False))
    (offer,) = report["remedies"]
    assert (offer["id"], offer["kind"]) == ("smaller-batch", "edit"), offer["reason"]
    assert "was not measured" in offer["note"]["text"]
    cells = {"size": SIZE, "train": TRAIN, "launch": LAUNCH}
    reply = kernel.ask("fix", report_id=report["report_id"], remedy_id=offer["id"], sources=cells)
    assert reply["run"] == ["size", "launch"]
    assert applied(cells, reply["edits"])["size"] == "batch_size = 32"
