"""What scripts of `python -m gpu_headroom run` and spawned functions say of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kernels.test_ranks import pid, worker_reply, workers
from tests.kernels.test_scripts import MAIN, click
from tests.programs import applied

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live import LiveKernel

GPU = "1GiB*2"
MIB = 2**20
RUN = "!{sys.executable} -m gpu_headroom run"
TORCHRUN = (
    "!{sys.executable} -m torch.distributed.run --nproc-per-node=2 --master-port=0 "
    "-m gpu_headroom run"
)
HOLD = """
import os, pathlib, sys, time
import torch

rank = int(os.environ.get("LOCAL_RANK", 0))
torch.cuda.set_device(rank)
kept = torch.empty((rank + 1) * 64, 2**20, dtype=torch.uint8, device="cuda")
pathlib.Path(f"pid-{rank}").write_text(str(os.getpid()))
while not os.path.exists("go"):
    time.sleep(0.05)
"""


@pytest.fixture
def kernel(fresh: LiveKernel, tmp_path: Path) -> LiveKernel:
    """A kernel with a script; what it starts has the same two GPUs."""
    (tmp_path / "hold.py").write_text(HOLD)
    fresh.run("import os, subprocess, sys")
    fresh.until(lambda: bool(fresh.value("'GPU_HEADROOM_RANKS' in os.environ")))
    return fresh


def in_use(kernel: LiveKernel) -> list[int]:
    """What workers have in use by now: a reading may be from before they had it."""
    return [worker["in_use_bytes"] for worker in workers(kernel)]


def test_a_script_is_measured_while_it_runs(kernel: LiveKernel, tmp_path: Path) -> None:
    """Under the cell that has started it; nothing is left of it."""
    kernel.start_cell(f"print('begun')\n{RUN} hold.py", cell_id="run")
    number = pid(tmp_path, 0)
    kernel.until(lambda: in_use(kernel) == [64 * MIB])
    reply = worker_reply(kernel)
    (engine,) = reply["workers"]["engines"]
    assert (engine["engine"], engine["live"]) == ("command", 1)
    ((worker,),) = [gpu["workers"] for gpu in reply["gpus"]]
    assert (worker["engine"], worker["rank"], worker["pid"]) == ("command", None, number)
    assert (worker["execution_count"], worker["state"]) == (2, "live")
    assert (worker["in_use_bytes"], worker["actions"]) == (64 * MIB, [])
    assert (reply["gpus"][0]["index"], reply["gpus"][0]["capacity_bytes"]) == (0, 2**30)
    (tmp_path / "go").touch()
    cell = kernel.await_event("cell", cell_id="run", status="ok")
    assert cell["workers_bytes"] == 64 * MIB
    assert worker_reply(kernel)["workers"] is None
    assert kernel.value("os.path.exists(os.environ['GPU_HEADROOM_RANKS'])") is False


def test_what_filled_the_gpu_of_a_script_is_measured(kernel: LiveKernel, tmp_path: Path) -> None:
    """And how large a batch fits by that; the cell itself has not failed."""
    (tmp_path / "main.py").write_text(MAIN)
    source = f"x = 1\n{RUN} main.py -b 64"
    run = kernel.run(source, cell_id="cell")
    assert (run.status, run.text.count("Traceback")) == ("ok", 1)
    assert "gpu_headroom/" not in run.text
    report = kernel.explain(run, "cell")
    assert report is not None
    assert (report["measured"], report["worker"]["engine"]) == ("worker", "command")
    parts = {part["kind"]: part["bytes"] for part in report["parts"]}
    assert (parts["activations"], parts["parameters"]) == (512 * MIB, 68 * MIB)
    assert sum(parts.values()) == report["capacity_bytes"] == 2**30
    assert (report["cause"]["rule"], report["also_failed"]) == ("activations", 0)
    (offer,) = [remedy for remedy in report["remedies"] if remedy["id"] == "smaller-batch"]
    assert (offer["kind"], offer["diffs"][0]["cell_id"]) == ("edit", "cell")
    assert offer["effect_bytes"] > 0
    reply = click(kernel, report["report_id"], source)
    (half,) = applied({"cell": source}, reply["edits"]).values()
    assert half == source.replace("-b 64", "-b 4")
    assert "out of memory" not in kernel.run(half, cell_id="cell").text
    assert kernel.value("os.path.exists(os.environ['GPU_HEADROOM_RANKS'])") is False


# Ranks of these numbers ask for what their GPUs have not, once all are there.
FAIL = """
import os, sys, time
import torch

rank = int(os.environ["RANK"])
torch.cuda.set_device(rank)

def fill(megabytes):
    kept = [torch.empty(megabytes, 2**20, dtype=torch.uint8, device="cuda")]
    if str(rank) in sys.argv[1:]:
        kept.append(torch.empty(2**30, dtype=torch.uint8, device="cuda"))
    while True:
        time.sleep(0.05)

fill((rank + 1) * 64)
"""


@pytest.mark.parametrize("failing", ["1", "0 1"])
def test_the_report_is_of_the_rank_that_its_launcher_names(
    kernel: LiveKernel, tmp_path: Path, failing: str
) -> None:
    """With the bar of that GPU; others that failed likewise are counted."""
    (tmp_path / "fail.py").write_text(FAIL)
    run = kernel.run(f"{TORCHRUN} fail.py {failing}", cell_id="cell")
    report = kernel.explain(run, "cell")
    assert report is not None
    worker, rank = report["worker"], report["worker"]["rank"]
    assert (report["measured"], worker["engine"]) == ("worker", "command")
    assert str(rank) in failing
    assert worker["pid"] is not None
    assert report["device_index"] == rank
    assert report["in_use_bytes"] == (rank + 1) * 64 * MIB
    parts = {part["kind"]: part["bytes"] for part in report["parts"]}
    assert parts["other_tensors"] == report["in_use_bytes"]
    assert report["also_failed"] <= len(failing.split()) - 1  # it ends them as soon as it sees one


MODULE = """
import gpu_headroom, os, pathlib, threading, time
import torch

def mine():
    return [each.name for each in threading.enumerate()]

def hold(rank):
    gpu_headroom.report()
    gpu_headroom.report()
    before = mine()
    torch.cuda.set_device(rank)
    kept = torch.empty((rank + 1) * 64, 2**20, dtype=torch.uint8, device="cuda")
    pathlib.Path(f"threads-{rank}").write_text(str([before, mine()]))
    pathlib.Path(f"pid-{rank}").write_text(str(os.getpid()))
    while not os.path.exists("go"):
        time.sleep(0.05)
    if rank:
        kept = kept, torch.empty(2**30, dtype=torch.uint8, device="cuda")
"""


def test_a_function_that_is_spawned_needs_one_line(kernel: LiveKernel, tmp_path: Path) -> None:
    """Read, explained, and without a thread of ours before CUDA is up."""
    (tmp_path / "spawned.py").write_text(MODULE)
    kernel.run("sys.path.insert(0, ''); import spawned; from torch.multiprocessing import spawn")
    request = kernel.start_cell("print('begun')\nspawn(spawned.hold, nprocs=2)", cell_id="spawn")
    pids = [pid(tmp_path, rank) for rank in (0, 1)]
    kernel.until(lambda: in_use(kernel) == [128 * MIB, 64 * MIB])
    assert {worker["rank"]: worker["pid"] for worker in workers(kernel)} == dict(enumerate(pids))
    assert {worker["execution_count"] for worker in workers(kernel)} == {3}
    assert (tmp_path / "threads-1").read_text() == str(
        [["MainThread"], ["MainThread", "gpu-headroom"]]
    )
    (tmp_path / "go").touch()
    report = kernel.result(request).report
    assert (report["measured"], report["worker"]["rank"]) == ("worker", 1)
    assert report["worker"]["pid"] == pids[1]
    assert (report["device_index"], report["in_use_bytes"]) == (1, 128 * MIB)


def test_ranks_of_a_launcher_are_measured_while_they_run(
    kernel: LiveKernel, tmp_path: Path
) -> None:
    """By the numbers that it gives them; they are no children of the kernel's, and not ended."""
    _, *command = TORCHRUN.split()
    source = f"behind = subprocess.Popen([sys.executable, *{command}, 'hold.py'])"
    assert kernel.run(source, cell_id="behind").status == "ok"
    pids = [pid(tmp_path, rank) for rank in (0, 1)]
    kernel.until(lambda: in_use(kernel) == [128 * MIB, 64 * MIB])
    reply = worker_reply(kernel)
    (engine,) = reply["workers"]["engines"]
    assert (engine["engine"], engine["live"]) == ("rank", 2)
    assert [(gpu["index"], gpu["in_use_bytes"]) for gpu in reply["gpus"]] == [
        (1, 128 * MIB),
        (0, 64 * MIB),
    ]
    for rank, gpu in zip((1, 0), reply["gpus"], strict=True):
        (worker,) = gpu["workers"]
        assert (worker["engine"], worker["rank"], worker["pid"]) == ("rank", rank, pids[rank])
        assert (worker["execution_count"], worker["left_over"]) == (2, True)
        assert worker["actions"] == []
    kernel.run("1", cell_id="another")
    assert {worker["execution_count"] for worker in workers(kernel)} == {2}
    (tmp_path / "go").touch()
    assert kernel.value("behind.wait()") == 0
    kernel.until(lambda: worker_reply(kernel)["workers"] is None)


def test_another_error_is_not_told_as_that_of_a_script(kernel: LiveKernel, tmp_path: Path) -> None:
    """What a script has measured stands in no report of a text with other numbers."""
    (tmp_path / "fail.py").write_text(FAIL.replace('["RANK"]', '.get("RANK", "0")'))
    run = kernel.run(f"{RUN} fail.py 0", cell_id="cell")
    for stream in run.messages:
        if stream["msg_type"] == "stream":
            stream["content"]["text"] = stream["content"]["text"].replace("1024.00", "2048.00")
    report = kernel.explain(run, "cell")
    assert report is not None
    assert report["measured"] == "message"


def test_the_helper_of_a_kernel_is_no_rank(kernel: LiveKernel) -> None:
    """Nor is what is forked from it one twice."""
    kernel.run("import gpu_headroom; gpu_headroom.report()")
    assert kernel.value("'gpu_headroom.workers.own_rank' in sys.modules") is True
    assert kernel.value("sys.modules['gpu_headroom.workers.own_rank']._known") == {}
