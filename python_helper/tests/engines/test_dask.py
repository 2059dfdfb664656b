"""Dask workers that are followed: what they say, how they fail, what they give back."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.live import SOURCES, LiveKernel, attached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.live import Pack, Run

MIB = 2**20
CLUSTER = """
import os, time
from distributed import Client, LocalCluster

cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0)
client = Client(cluster)
"""
# Two workers never share a GPU: that of each has the number of the worker. A plugin, which is
# there before ours is wherever a worker starts: threads that are older do not see the GPU.
SIMULATE = """
from distributed import WorkerPlugin

class Simulated(WorkerPlugin):
    name = "simulated"

    def setup(self, worker):
        import gpu_simulator
        os.environ["CUDA_VISIBLE_DEVICES"] = str(worker.name)
        if gpu_simulator.active() is None:
            gpu_simulator.simulate("1GiB*8")

client.register_plugin(Simulated())
"""
TASKS = """
def keep(mib):
    import torch
    return torch.empty(mib, 2**20, dtype=torch.uint8, device="cuda")

def train(batch, data=None):
    import torch
    model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(4)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        hidden = model(torch.zeros(batch, 1024, device="cuda"))
        hidden.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        batch *= 20

def probe(mib):
    import gc, torch
    for size in (2**34, mib * 2**20):
        try:
            kept = torch.empty(size, dtype=torch.uint8, device="cuda")
        except torch.OutOfMemoryError:
            gc.collect()
    return torch.cuda.memory_allocated()

def held():
    import torch
    return [torch.cuda.memory_allocated(), torch.cuda.memory_reserved()]
"""
STATE = """
def state(dask_worker=None):
    import sys, threading
    return [
        sorted(dask_worker.plugins), sorted(dask_worker.metrics),
        sorted(name for name in sys.modules if name.startswith(("gpu_headroom", "_gpu_headroom"))),
        len(sys.meta_path), sorted(key for key in os.environ if "HEADROOM" in key),
    ]
"""


@contextmanager
def kernel_with(
    python: Path, pack: Pack, folder: Path, *, begin: str = CLUSTER + SIMULATE
) -> Iterator[LiveKernel]:
    """A kernel with a cluster of its own, whose workers lack the helper."""
    alone = folder / "packages"
    alone.mkdir()
    (alone / "gpu_simulator").symlink_to(SOURCES / "gpu_simulator")
    with attached(python, folder, pack, PYTHONPATH=str(alone)) as kernel:
        for cell_id, source in (("begin", begin), ("tasks", TASKS + STATE)):
            run = kernel.run(source, cell_id=cell_id)
            assert run.status == "ok", run.outputs
        kernel.inject(pack, sources=pack.for_workers)
        yield kernel
        kernel.run("client.close(); cluster.close()")


@pytest.fixture(scope="module")
def kernel(
    engines_python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """A kernel with two workers."""
    with kernel_with(engines_python, pack, tmp_path_factory.mktemp("notebook")) as kernel:
        yield kernel


@pytest.fixture
def followed(kernel: LiveKernel) -> Iterator[LiveKernel]:
    """The same, whose workers are followed while a test runs."""
    follow(kernel)
    yield kernel
    assert kernel.ask("follow", engine="dask", follow=False)["type"] == "follow"
    until(lambda: not any("headroom" in name for name in plugins(kernel)))


def plugins(kernel: LiveKernel) -> list[str]:
    """What plugins the workers have."""
    return [name for state in kernel.value("client.run(state)").values() for name in state[0]]


def until(is_so: Callable[[], object], patience_s: float = 30) -> None:
    """Wait until something is so."""
    ends_s = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < ends_s
        time.sleep(0.1)


def reply(kernel: LiveKernel, text: str = "") -> Any:
    """The reply to a request for workers."""
    return kernel.ask("workers", filter=text)


def engine(kernel: LiveKernel) -> Any:
    """What a reply says of Dask."""
    (status,) = [row for row in reply(kernel)["workers"]["engines"] if row["engine"] == "dask"]
    return status


def follow(kernel: LiveKernel, workers: int = 2) -> None:
    """Have the workers followed, as a click does, and wait until they have said something."""
    assert kernel.ask("follow", engine="dask", follow=True)["type"] == "follow"
    until(lambda: engine(kernel)["live"] == workers)
    assert engine(kernel)["state"] == "measured"


def by_name(kernel: LiveKernel) -> dict[str, Any]:
    """The GPUs by the name of their worker."""
    return {str(gpu["workers"][0]["rank"]): gpu for gpu in reply(kernel)["gpus"]}


def fail(kernel: LiveKernel, source: str) -> tuple[Any, Run]:
    """The report of a cell that fails, and the run."""
    run = kernel.run(source, cell_id="launch", stop_on_error=False)
    assert run.status == "error"
    return run.report, run


def release(kernel: LiveKernel, worker_id: str) -> Any:
    """The outcome of freeing memory of a worker, with its sizes."""
    reply = kernel.ask("worker_release", worker_id=worker_id, action="free")
    event = kernel.await_event("worker_released", request_id=reply["id"])
    return {**event["message"]["params"], **event}


def check_measured(report: Any, name: str) -> None:
    """A report of `train` has what its worker measured, beside 100 MiB kept by this name."""
    assert report["capacity_bytes"] == 2**30
    parts = {part["kind"]: part["bytes"] for part in report["parts"]}
    assert parts["parameters"] == 4 * 4 * (1024 * 1024 + 1024)
    assert parts["optimizer_state"] >= 2 * parts["parameters"]
    assert parts["activations"] > 0
    total = sum(parts.values()) - parts["outside"] - parts["cached"] - parts["free"]
    assert total == report["in_use_bytes"]
    names = {holder["name"]: holder["bytes"] for holder in report["holders"]}
    assert names[name] == 100 * MIB
    origin = report["origin"]
    assert (origin["cell_id"], origin["function"]) == ("tasks", "train")
    assert TASKS.split("\n")[origin["line"] - 1].strip().startswith("hidden = model")


def test_nothing_goes_to_workers_unasked(kernel: LiveKernel) -> None:
    """They are counted, and that is all; a failure is its text."""
    before = kernel.value("client.run(state)")
    assert (engine(kernel)["total"], engine(kernel)["state"]) == (2, "not_measured")
    report, _ = fail(kernel, "client.submit(train, 256, pure=False).result()")
    assert (report["measured"], report["holders"]) == ("message", [])
    assert report["worker"]["engine"] == "dask"
    assert kernel.value("client.run(state)") == before
    kernel.run("client.restart()")


def test_what_workers_hold_is_told_as_they_say_it(followed: LiveKernel) -> None:
    """By the bytes of their own framework, each on a GPU of its own."""
    source = """
workers = {each["name"]: address for address, each in client.scheduler_info()["workers"].items()}
results = [
    client.submit(keep, 64 * (name + 1), workers=[at], pure=False) for name, at in workers.items()
]
_ = [each.exception() for each in results]
"""
    assert followed.run(source, cell_id="keep").status == "ok"
    until(lambda: len(by_name(followed)) == 2)
    until(lambda: [gpu["in_use_bytes"] for gpu in reply(followed)["gpus"]] == [128 * MIB, 64 * MIB])
    gpus = by_name(followed)
    for name, address in followed.value("workers").items():
        (worker,) = gpus[str(name)]["workers"]
        assert (worker["id"], worker["state"]) == (f"dask:{address}", "live")
        sizes = followed.value(f"client.run(held, workers=[{address!r}])[{address!r}]")
        assert [worker["in_use_bytes"], sum(sizes) - sizes[0] * 2] == [
            sizes[0],
            worker["cached_bytes"],
        ]
    assert len({gpu["uuid"] for gpu in gpus.values()}) == 2
    until(lambda: reply(followed, "DASK worker 1")["total"] == 1)
    assert reply(followed, "nowhere")["gpus"] == []
    assert followed.sample()["workers"]["in_use_bytes"] == 192 * MIB
    followed.run("del results, each", silent=True)


def test_a_failure_is_explained_by_what_the_worker_measured(followed: LiveKernel) -> None:
    """What filled that GPU, by name; and which line of which cell it was."""
    followed.run(
        "kept = client.submit(keep, 100, pure=False); _ = kept.exception()", cell_id="kept"
    )
    report, run = fail(followed, "client.submit(train, 256, kept, pure=False).result()")
    assert report["measured"] == "worker", run.bundle["text/plain"]
    worker = report["worker"]
    assert worker["rank"] in {0, 1}
    assert worker["pid"] in followed.value("list(client.run(os.getpid).values())")
    check_measured(report, f"result {followed.value('kept.key')}")
    assert "Out of simulated GPU memory on Dask worker" in run.bundle["text/plain"]
    followed.run("del kept", silent=True)


def test_one_report_for_all_that_fail(followed: LiveKernel) -> None:
    """The first whole, the others counted."""
    source = """
sent = [client.submit(train, 256 + name, workers=[at], pure=False) for name, at in enumerate(
    client.scheduler_info()["workers"])]
_ = [each.exception() for each in sent]
time.sleep(0.5)
sent[0].result()
"""
    report, _ = fail(followed, source)
    assert (report["measured"], report["also_failed"]) == ("worker", 1)
    followed.run("del sent, each", silent=True)


def test_what_a_failed_task_still_holds_is_given_back(followed: LiveKernel) -> None:
    """As much as a restart gives, and no result is lost; never beside a task that runs."""
    followed.run("import gc; client.run(gc.collect)", silent=True)
    source = """
at = list(client.scheduler_info()["workers"])[0]
kept = client.submit(keep, 100, workers=[at], pure=False); _ = kept.exception()
before = client.run(held, workers=[at])[at]
"""
    followed.run(source, cell_id="kept")
    fail(followed, "client.submit(train, 256, kept, workers=[at], pure=False).result()")
    stays = followed.value("client.run(held, workers=[at])[at]")
    before = followed.value("before")
    assert stays[0] > before[0] + 50 * MIB
    followed.run("running = client.submit(time.sleep, 3, workers=[at]); time.sleep(0.5)")
    busy = release(followed, f"dask:{followed.value('at')}")
    assert (busy["status"], busy["message"]["id"]) == ("refused", "worker.busy")
    followed.run("running.result()")
    freed = release(followed, f"dask:{followed.value('at')}")
    assert freed["status"] == "done"
    assert (
        freed["freed_bytes"] == stays[0] - followed.value("client.run(held, workers=[at])[at]")[0]
    )
    # What is left beside the results is the workspace of cuBLAS, which a restart alone gives.
    assert stays[0] - freed["freed_bytes"] <= before[0] + 17 * MIB
    assert (
        followed.value("client.submit(lambda kept: kept.shape[0], kept, workers=[at]).result()")
        == 100
    )
    followed.run("del kept, running", silent=True)


def test_a_task_that_catches_its_failure_leaves_nothing(kernel: LiveKernel) -> None:
    """No byte longer than without us, and no report."""
    source = "[client.submit(probe, 10 + n, pure=False).result() for n in range(4)]"
    without = kernel.value(source)
    follow(kernel)
    assert kernel.value(source) == without
    assert kernel.value("client.run(held)") is not None
    kernel.ask("follow", engine="dask", follow=False)
    until(lambda: not any("headroom" in name for name in plugins(kernel)))


def test_workers_are_left_as_they_were(kernel: LiveKernel) -> None:
    """Plugins, metrics, modules, finders and environment."""
    before = kernel.value("client.run(state)")
    follow(kernel)
    assert kernel.value("client.run(state)") != before
    kernel.ask("follow", engine="dask", follow=False)
    until(lambda: kernel.value("client.run(state)") == before)
    assert engine(kernel)["state"] == "not_measured"


def test_workers_that_come_later_are_followed_too(followed: LiveKernel) -> None:
    """And those that were restarted."""
    followed.run("cluster.scale(3); client.wait_for_workers(3)")
    until(lambda: engine(followed)["live"] == 3)
    followed.run("cluster.scale(2)")
    until(lambda: engine(followed)["total"] == 2)
    followed.run("client.restart()")
    until(lambda: engine(followed)["live"] == 2)
    assert release(followed, "dask:tcp://127.0.0.1:1")["status"] == "refused"


def test_a_worker_that_is_killed_is_no_full_gpu(followed: LiveKernel) -> None:
    """Its error is shown as it is, and whoever takes its place is followed."""
    source = """
import signal
def die():
    os.kill(os.getpid(), signal.SIGKILL)

client.submit(die, retries=0).result()
"""
    addresses = "sorted(client.nthreads())"
    before = followed.value(addresses)
    run = followed.run(source, cell_id="die", stop_on_error=False)
    assert run.status == "error"
    assert [kind for kind, _ in run.outputs if kind == "display_data"] == []
    until(lambda: followed.value(addresses) != before and len(followed.value(addresses)) == 2)
    until(lambda: engine(followed)["live"] == 2)


def test_settings_may_forbid_it(kernel: LiveKernel) -> None:
    """The sentence says so, by click and by hand."""
    kernel.attach(measure_workers="never")
    refusal = kernel.ask("follow", engine="dask", follow=True)
    assert refusal["message"]["id"] == "worker.never"
    run = kernel.run("import gpu_headroom; gpu_headroom.follow()", stop_on_error=False)
    assert run.reply["ename"] == "RuntimeError"
    kernel.attach()
    assert plugins(kernel) == ["shuffle", "simulated"] * 2


def test_a_client_that_is_closed_is_none(engines_python: Path, pack: Pack, tmp_path: Path) -> None:
    """One that coroutines wait for is followed too; workers within the kernel are the kernel's."""
    begin = CLUSTER.replace("n_workers=2", "n_workers=1, processes=False")
    with kernel_with(engines_python, pack, tmp_path, begin=begin) as kernel:
        assert engine(kernel)["total"] == 1
        kernel.ask("follow", engine="dask", follow=True)
        until(lambda: engine(kernel)["state"] == "measured")
        assert reply(kernel)["gpus"] == []
        kernel.run("client.close()")
        until(lambda: reply(kernel)["workers"] is None)
        kernel.run("client = await Client(cluster, asynchronous=True)")
        assert engine(kernel)["state"] == "not_measured"
        kernel.ask("follow", engine="dask", follow=True)
        until(lambda: engine(kernel)["state"] == "measured")
        run = kernel.run("client.close()\nclient = Client(cluster)")
        assert run.status == "ok", run.outputs
        assert engine(kernel)["state"] == "not_measured"


def test_a_cluster_that_takes_no_code_says_so(
    engines_python: Path, pack: Pack, tmp_path: Path
) -> None:
    """Everything else goes on."""
    with kernel_with(engines_python, pack, tmp_path) as kernel:
        kernel.run("def forbid(*_): raise ValueError('pickled functions are disabled')")
        kernel.run("client.register_plugin = forbid")
        kernel.ask("follow", engine="dask", follow=True)
        until(lambda: engine(kernel)["message"] is not None)
        assert "the cluster refused" in engine(kernel)["message"]["text"]
        assert engine(kernel)["state"] == "not_measured"
        report, _ = fail(kernel, "client.submit(train, 256, pure=False).result()")
        assert report["measured"] == "message"
