"""What ranks that a kernel forks say of themselves while they run, and what is left of them."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live import LiveKernel

GPU = "1GiB*2"
MIB = 2**20
# What its two ranks hold differs; each says when it does, and goes on when told to.
HOLD = """
import os, pathlib, time
import torch
from torch.multiprocessing import start_processes

def hold(rank):
    torch.cuda.set_device(rank)
    kept = torch.empty((rank + 1) * 64, 2**20, dtype=torch.uint8, device="cuda")
    pathlib.Path(f"pid-{rank}").write_text(str(os.getpid()))
    while not os.path.exists("go"):
        time.sleep(0.05)
"""
LAUNCH = """
print("begun")
start_processes(hold, nprocs=2, start_method="fork")
"""
# As a person would who lets something go on behind the notebook's back.
BEHIND = """
import multiprocessing
behind = multiprocessing.get_context("fork").Process(target=hold, args=(1,))
behind.start()
while not os.path.exists("pid-1"): time.sleep(0.05)
"""


@pytest.fixture
def kernel(fresh: LiveKernel) -> LiveKernel:
    """A kernel with a function for ranks."""
    assert fresh.run(HOLD, cell_id="hold").status == "ok"
    return fresh


def worker_reply(kernel: LiveKernel, text: str = "") -> Any:
    """The reply to a request for workers."""
    return kernel.ask("workers", filter=text)


def workers(kernel: LiveKernel) -> list[Any]:
    """The workers of all GPUs, fullest GPU first."""
    return [worker for gpu in worker_reply(kernel)["gpus"] for worker in gpu["workers"]]


def pid(folder: Path, rank: int) -> int:
    """The process of a rank that holds what it should."""
    deadline = time.monotonic() + 60
    while not (path := folder / f"pid-{rank}").exists() or not path.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return int(path.read_text())


def test_ranks_are_measured_while_they_run(kernel: LiveKernel, tmp_path: Path) -> None:
    """Each on its own GPU, by what its own framework says; the fullest first."""
    kernel.start_cell(LAUNCH, cell_id="launch")
    pids = [pid(tmp_path, rank) for rank in (0, 1)]
    kernel.until(lambda: len(workers(kernel)) == 2)
    reply = worker_reply(kernel)
    (engine,) = reply["workers"]["engines"]
    assert {**engine, "message": None} == {
        "engine": "rank",
        "total": 2,
        "live": 2,
        "state": "measured",
        "silent_s": None,
        "message": None,
    }
    assert [gpu["in_use_bytes"] for gpu in reply["gpus"]] == [128 * MIB, 64 * MIB]
    assert [gpu["index"] for gpu in reply["gpus"]] == [1, 0]
    for rank, gpu in zip((1, 0), reply["gpus"], strict=True):
        (worker,) = gpu["workers"]
        assert (worker["rank"], worker["pid"], worker["state"]) == (rank, pids[rank], "live")
        assert worker["execution_count"] == 2
        assert (worker["in_use_bytes"], worker["actions"]) == (gpu["in_use_bytes"], [])
        assert (gpu["capacity_bytes"], gpu["simulated"]) == (2**30, True)
        assert gpu["used_bytes"] == gpu["outside_bytes"] + gpu["in_use_bytes"]
        assert gpu["host"] == os.uname().nodename
    assert reply["workers"]["in_use_bytes"] == 192 * MIB
    assert reply["workers"]["fullest"]["id"] == reply["gpus"][0]["id"]
    assert reply["total"] == 2
    match = worker_reply(kernel, "RANK 0")
    assert ([gpu["index"] for gpu in match["gpus"]], match["total"]) == ([0], 1)
    assert worker_reply(kernel, os.uname().nodename)["total"] == 2
    assert worker_reply(kernel, "rank 7")["gpus"] == []
    (tmp_path / "go").touch()
    cell = kernel.await_event("cell", cell_id="launch", status="ok")
    assert cell["workers_bytes"] == 192 * MIB
    assert kernel.sample()["workers"] is None
    assert kernel.sample()["state"] == "not_initialised"


def test_a_rank_that_is_killed_keeps_its_last_reading(kernel: LiveKernel, tmp_path: Path) -> None:
    """With its age, until the next cell; one that is not heard of is old."""
    kernel.start_cell(LAUNCH, cell_id="launch")
    pids = [pid(tmp_path, rank) for rank in (0, 1)]
    kernel.until(lambda: len(workers(kernel)) == 2)
    os.kill(pids[0], signal.SIGSTOP)
    kernel.until(lambda: workers(kernel)[1]["state"] == "stale")
    assert workers(kernel)[1]["age_s"] > 3
    os.kill(pids[1], signal.SIGKILL)
    os.kill(pids[0], signal.SIGCONT)
    kernel.await_event("cell", cell_id="launch", status="error")
    reply = worker_reply(kernel)
    assert reply["workers"]["engines"][0]["total"] == 0
    assert reply["workers"]["in_use_bytes"] == 0
    by_rank = {worker["rank"]: worker for gpu in reply["gpus"] for worker in gpu["workers"]}
    assert by_rank[1]["state"] == "ended"
    assert by_rank[1]["in_use_bytes"] == 128 * MIB

    def has_gone() -> bool:
        # On a busy machine a cell may go unnoticed: where a lock is not had in time.
        kernel.run("1", cell_id="another")
        return kernel.sample()["workers"] is None

    kernel.until(has_gone)


def test_a_rank_that_outlives_its_cell_can_be_ended(kernel: LiveKernel, tmp_path: Path) -> None:
    """By its own click only; whoever started it learns of its end as ever."""
    assert kernel.run(BEHIND, cell_id="behind").status == "ok"
    kernel.until(lambda: len(workers(kernel)) == 1)
    (worker,) = workers(kernel)
    assert (worker["left_over"], worker["execution_count"]) == (True, 2)
    assert worker["actions"] == ["end"]
    status = kernel.value("str(__import__('gpu_headroom').status())")
    assert "\n1 rank.\n" in status
    assert "\n  another process  0.1 GiB" in status  # it has no number: no launcher started it
    reply = kernel.ask("worker_release", worker_id=worker["id"], action="free")
    refusal = kernel.await_event("worker_released", request_id=reply["id"])
    assert (refusal["status"], refusal["message"]["id"]) == ("refused", "worker.gone")
    reply = kernel.ask("worker_release", worker_id=worker["id"], action="end")
    event = kernel.await_event("worker_released", request_id=reply["id"])
    assert event["status"] == "done"
    assert event["message"]["params"]["returned_bytes"] >= 128 * MIB
    assert kernel.value("(behind.join(), behind.exitcode)") == (None, -signal.SIGTERM)
    assert worker_reply(kernel)["workers"] is None
    assert not (tmp_path / "go").exists()


def test_only_a_child_that_is_left_over_is_ended(kernel: LiveKernel, tmp_path: Path) -> None:
    """Not a rank whose cell runs, and no process that a request names."""
    kernel.start_cell(LAUNCH, cell_id="launch")
    pids = [pid(tmp_path, rank) for rank in (0, 1)]
    kernel.until(lambda: len(workers(kernel)) == 2)
    for name in (*(f"rank:{number}" for number in pids), f"rank:{os.getpid()}", "rank:1", "", "x"):
        reply = kernel.ask("worker_release", worker_id=name, action="end")
        event = kernel.await_event("worker_released", request_id=reply["id"])
        assert event["status"] == "refused", name
    (tmp_path / "go").touch()
    kernel.await_event("cell", cell_id="launch", status="ok")


def test_the_cell_that_started_cuda_is_named(kernel: LiveKernel) -> None:
    """Launchers that fork need a kernel in which none has."""
    assert kernel.sample()["cuda_started"] is None
    kernel.run("x = torch.ones(1, device='cuda')", cell_id="starts")
    kernel.run("x += 1", cell_id="later")
    assert kernel.sample()["cuda_started"] == {"cell_id": "starts", "execution_count": 2}


def test_no_engine_is_imported_or_asked(kernel: LiveKernel) -> None:
    """One that is not in use, or not known, is refused in a sentence."""
    reply = kernel.ask("follow", engine="dask", follow=True)
    assert reply["type"] == "refused"
    assert "dask" in reply["message"]["text"]
    assert kernel.value("'distributed' in __import__('sys').modules") is False
