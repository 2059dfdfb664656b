"""A function of the notebook runs out of memory in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.live import LiveKernel, attached
from tests.programs import applied

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live import Pack

TEXT = (
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 7.00 GiB of "
    "which 1.00 GiB is free. Including non-PyTorch memory, this process has 6.00 GiB memory in "
    "use. Of the allocated memory 5.00 GiB is allocated by PyTorch, and 512.00 MiB is reserved by "
    "PyTorch but unallocated."
)
GPU = "1GiB*2"
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
def kernel(simulated: LiveKernel) -> LiveKernel:
    """A kernel with a function that runs out of memory in a rank."""
    for cell_id, source in (("size", SIZE), ("train", TRAIN)):
        assert simulated.run(source, cell_id=cell_id).status == "ok"
    return simulated


def click_edit(kernel: LiveKernel, report: Any, cells: dict[str, str]) -> tuple[list[str], Any]:
    """Click the edit of a report; return the cells that run, and all as they are then."""
    wish = {"report_id": report["report_id"], "remedy_id": "smaller-batch", "sources": cells}
    reply = kernel.ask("fix", **wish)
    assert reply["status"] == "ok", reply
    return reply["run"], applied(cells, reply["edits"])


def test_a_rank_is_named_with_the_line_of_its_cell(kernel: LiveKernel) -> None:
    """The report's numbers are the rank's, and nothing of this kernel stands among them."""
    run = kernel.run(LAUNCH, cell_id="launch", stop_on_error=False)
    report = run.report
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
    text = run.bundle["text/plain"]
    assert text.startswith("Out of simulated GPU memory on rank 1: needed 2.00 GiB more")
    assert f"It failed in train, In [{origin['execution_count']}], line {origin['line']}." in text
    assert f"Process {worker['pid']}." in text


# What a rank needs on a GPU of its own, as many people write it.
MANY = "fit_batch_size = 8192"
FIT = """
from torch import nn

def fit(rank):
    torch.cuda.set_device(rank)
    model = nn.Sequential(*[nn.Linear(512, 512) for _ in range(40)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    inputs = TensorDataset(torch.zeros(20000, 512))
    for (batch,) in DataLoader(inputs, fit_batch_size if rank else 64):
        optimizer.zero_grad()
        model(batch.cuda()).sum().backward()
        optimizer.step()
"""
LAUNCH_FIT = LAUNCH.replace("train", "fit")


def leftovers(kernel: LiveKernel) -> Any:
    """What stands where ranks leave their reports and readings."""
    return kernel.value(
        "__import__('gpu_headroom.session').session.current().wings.named('workers').ranks._folder.names()"
    )


def test_a_forked_rank_is_measured_in_itself(kernel: LiveKernel) -> None:
    """What filled its GPU, which cause that is, and how much fits by that."""
    for cell_id, source in (("many", MANY), ("fit", FIT)):
        assert kernel.run(source, cell_id=cell_id).status == "ok"
    run = kernel.run(LAUNCH_FIT, cell_id="launch-fit", stop_on_error=False)
    report = run.report
    assert (report["measured"], report["worker"]["rank"]) == ("worker", 1)
    assert report["device_index"] == 1
    assert report["cause"]["rule"] == "activations"
    parts = {part["kind"]: part["bytes"] for part in report["parts"]}
    assert parts["parameters"] == 40 * 4 * (512 * 512 + 512)
    total = sum(parts.values()) - parts["free"] - parts["cached"] - parts["outside"]
    assert total == report["in_use_bytes"]
    assert report["traceback_bytes"] is None
    assert {remedy["kind"] for remedy in report["remedies"]} <= {"edit", "suggestion", "snippet"}
    (offer,) = [remedy for remedy in report["remedies"] if remedy["id"] == "smaller-batch"]
    assert offer["effect_bytes"] > 0
    new = int(offer["title"]["params"]["new"])
    assert new <= 4096
    reruns, cells = click_edit(kernel, report, {"many": MANY, "fit": FIT, "launch-fit": LAUNCH_FIT})
    assert (reruns, cells["many"]) == (["many", "launch-fit"], f"fit_batch_size = {new}")
    assert [name for name in leftovers(kernel) if name.endswith(".json")] == []
    for cell_id in reruns:
        assert kernel.run(cells[cell_id], cell_id=cell_id).status == "ok"
    kernel.run("1", cell_id="later")
    kernel.until(lambda: leftovers(kernel) == [])


def test_what_a_rank_catches_leaves_nothing(kernel: LiveKernel) -> None:
    """A loop that probes for a batch that fits, as people write them; it goes on as without us.

    The thread that reads is there as soon as CUDA is, and nothing once the rank has ended.
    """
    source = """
import gc, json

def probe(rank):
    sizes = []
    for size in (2**33, 2**20):
        try:
            torch.empty(size, dtype=torch.uint8, device="cuda")
        except torch.OutOfMemoryError:
            gc.collect()
        sizes.append(torch.cuda.memory_allocated())
    with open("probe.json", "w") as file:
        json.dump([sizes, [each.name for each in __import__("threading").enumerate()]], file)
"""
    kernel.run(source, cell_id="probe")
    launch = LAUNCH.replace("train", "probe").replace("nprocs=2", "nprocs=1")
    assert kernel.run(launch, cell_id="launch-probe").status == "ok"
    assert kernel.value("json.load(open('probe.json'))") == [[0, 0], ["MainThread", "gpu-headroom"]]
    assert leftovers(kernel) == []


def test_a_rank_ends_whatever_holds_up_its_report(kernel: LiveKernel) -> None:
    """Such as a lock that another thread of the kernel held when it was forked."""
    source = """
import threading
from gpu_headroom.workers import rank
patience, rank._PATIENCE_S = rank._PATIENCE_S, 1.0
helper = __import__("sys").modules["gpu_headroom.session"].current().wings.named("workers")
explain, held = helper.ranks._explain, threading.Lock()
held.acquire()
helper.ranks._explain = lambda error: held.acquire()
"""
    assert kernel.run(source, silent=True).status == "ok"
    kernel.run(f"{MANY}\n{FIT}", cell_id="fit")
    report = kernel.run(LAUNCH_FIT, cell_id="launch-fit", stop_on_error=False).report
    kernel.run("rank._PATIENCE_S = patience\nlife.ranks._explain = explain\ndel rank", silent=True)
    assert (report["measured"], report["worker"]["rank"]) == ("message", 1)


def test_a_daemon_is_left_alone(kernel: LiveKernel) -> None:
    """As the workers of a loader and a pool are; it ends by its own error."""
    source = """
import multiprocessing, os
from gpu_headroom.workers.rank import Rank

kept, Rank.end = Rank.end, lambda *_: open("asked", "w").close()

def run_out():
    torch.empty(2**40, dtype=torch.uint8, device="cuda")

for daemon in (True, False):
    process = multiprocessing.get_context("fork").Process(target=run_out, daemon=daemon)
    process.start()
    process.join()
    print(process.exitcode, os.path.exists("asked"))
Rank.end = kept
"""
    run = kernel.run(source, cell_id="daemons")
    assert [line for line in run.text.splitlines() if line[:2] == "1 "] == ["1 False", "1 True"]


def test_nothing_follows_ranks_once_it_has_stopped(
    newest_python: Path, pack: Pack, tmp_path: Path
) -> None:
    """What multiprocessing calls in forked processes is as before."""
    with attached(newest_python, tmp_path, pack) as kernel:
        assert kernel.value("'multiprocessing.util' in __import__('sys').modules") is False
        kernel.run("import gc\nfrom multiprocessing import util")
        count = "[type(each).__name__ for each in util._afterfork_registry.values()].count('Ranks')"
        kernel.until(lambda: kernel.value(count) == 1)
        kernel.run("import gpu_headroom; gpu_headroom.stop()")
        kernel.run("del gpu_headroom; gc.collect()")
        assert kernel.value(count) == 0
