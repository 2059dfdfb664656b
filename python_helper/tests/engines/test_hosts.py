"""Dask workers on two hosts: whose GPUs they are, and a link that fails."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.engines.hosts import two_hosts
from tests.engines.test_dask import (
    check_measured,
    engine,
    fail,
    kernel_with,
    reply,
    until,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.engines.hosts import Hosts
    from tests.live import LiveKernel, Pack

MIB = 2**20
PORT = 8786
# A worker has the GPU that it was started with, as those of dask-cuda have.
BEGIN = """
import os, time
from distributed import Client, WorkerPlugin

class Simulated(WorkerPlugin):
    name = "simulated"

    def setup(self, worker):
        import gpu_simulator
        gpu_simulator.simulate("1GiB*8")

client = Client("tcp://ADDRESS")
client.register_plugin(Simulated())
client.wait_for_workers(WORKERS)
"""

KEEP = """
addresses = {each["name"]: at for at, each in client.scheduler_info()["workers"].items()}
kept = [client.submit(keep, 100, workers=[addresses[at]], pure=False) for at in range(3)]
_ = [each.exception() for each in kept]
"""


@contextmanager
def cluster(
    hosts: Hosts, python: Path, pack: Pack, *, scheduler: str, workers: str
) -> Iterator[LiveKernel]:
    """A kernel on the near host; a scheduler and its workers on those that are named."""
    at = f"{hosts.addresses[scheduler]}:{PORT}"
    alone = str(hosts.folder / "packages")

    def start(host: str, program: str, *options: str, **variables: str) -> None:
        command = str(python), "-m", f"distributed.cli.dask_{program}", "--no-dashboard"
        hosts.start(host, *command, *options, PYTHONPATH=alone, **variables)

    start(scheduler, "scheduler", "--host", f"tcp://{at}")
    for number, host in enumerate(workers.split()):
        arguments = "--nthreads", "1", "--name", f"{number}"
        start(host, "worker", *arguments, f"tcp://{at}", CUDA_VISIBLE_DEVICES=f"{number}")
    begin = BEGIN.replace("ADDRESS", at).replace("WORKERS", f"{len(workers.split())}")
    with kernel_with(hosts.program("near", python), pack, hosts.folder, begin=begin) as kernel:
        yield kernel


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    """Two hosts of a test's own."""
    with two_hosts(tmp_path) as pair:
        yield pair


def nothing_is_left(kernel: LiveKernel) -> bool:
    """Whether no worker has anything of the helper; also while none can be asked."""
    run = kernel.run("found = client.run(state)", silent=True, stop_on_error=False)
    return run.status == "ok" and all(
        "headroom" not in str(state) for state in kernel.value("found").values()
    )


def states(kernel: LiveKernel, text: str = "") -> dict[int, str]:
    """The state of each worker whose names contain a text, by its number."""
    gpus = reply(kernel, text)["gpus"]
    return {worker["rank"]: worker["state"] for gpu in gpus for worker in gpu["workers"]}


def follow(kernel: LiveKernel, count: int) -> None:
    """Follow by hand, until all have said something."""
    kernel.run("import gpu_headroom; gpu_headroom.follow()")
    until(lambda: engine(kernel)["live"] == count)


def test_workers_on_another_host(hosts: Hosts, engines_python: Path, pack: Pack) -> None:
    """Their GPUs name their host, and so does a failure; what is cut off turns stale."""
    workers = {"scheduler": "near", "workers": "near far far"}
    with cluster(hosts, engines_python, pack, **workers) as kernel:
        assert kernel.value("__import__('socket').gethostname()") == "near"
        follow(kernel, 3)
        assert kernel.run(KEEP, cell_id="kept").status == "ok"
        until(lambda: reply(kernel)["workers"]["in_use_bytes"] == 300 * MIB)
        names = sorted(gpu["host"] for gpu in reply(kernel)["gpus"])
        assert names == ["far", "far", "near"]
        until(lambda: sorted(states(kernel, "far")) == [1, 2])
        until(lambda: list(states(kernel, "Dask worker 2")) == [2])

        task = "client.submit(train, 256, kept[2], workers=[addresses[2]])"
        report, run = fail(kernel, f"{task}.result()")
        worker = report["worker"]
        assert (report["measured"], worker["rank"], worker["host"]) == ("worker", 2, "far")
        check_measured(report, f"result {kernel.value('kept[2].key')}")
        assert "on Dask worker 2" in run.bundle["text/plain"]
        assert f"Process {worker['pid']} on far" in run.bundle["text/plain"]

        hosts.link(is_up=False)
        until(lambda: states(kernel) == {0: "live", 1: "stale", 2: "stale"})
        assert engine(kernel)["live"] == 1
        assert kernel.value("client.submit(abs, -1, workers=[addresses[0]]).result()") == 1
        hosts.link(is_up=True)
        until(lambda: set(states(kernel).values()) == {"live"})

        kernel.run("gpu_headroom.unfollow()")
        until(lambda: nothing_is_left(kernel))
