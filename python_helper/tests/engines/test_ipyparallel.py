"""Engines of ipyparallel that are followed: what they say, how they fail, what they give back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.engines.gpus import explained
from tests.engines.test_dask import TASKS, check_measured, fail, release, reply, until
from tests.live import SOURCES, LiveKernel, attached

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack

MIB = 2**20
CLUSTER = """
import os, time
import ipyparallel

client = ipyparallel.Cluster(n=2).start_and_connect_sync()
engines = client[:]
"""
# Two engines never share a GPU; before ours is there: threads that are older do not see the GPU.
SIMULATE = """
def simulated(number):
    import os, gpu_simulator
    os.environ["CUDA_VISIBLE_DEVICES"] = str(number)
    gpu_simulator.simulate("1GiB*8")

for number in client.ids:
    client[number].apply_sync(simulated, number)
"""
STATE = """
def state():
    import os, sys, threading
    from IPython import get_ipython
    shell = get_ipython()
    return [
        sorted(name for name in sys.modules if name.startswith(("gpu_headroom", "_gpu_headroom"))),
        len(sys.meta_path), sorted(key for key in os.environ if "HEADROOM" in key),
        sorted(name for name in shell.user_ns if not name.startswith("_")),
        sorted(name for name in vars(shell) if "headroom" in name), len(shell.configurables),
        sorted(each.name for each in threading.enumerate() if "headroom" in each.name),
    ]
"""


@pytest.fixture(scope="module")
def kernel(
    engines_python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """A kernel with two engines of its own, which lack the helper."""
    folder = tmp_path_factory.mktemp("notebook")
    alone = folder / "packages"
    alone.mkdir()
    (alone / "gpu_simulator").symlink_to(SOURCES / "gpu_simulator")
    with attached(engines_python, folder, pack, PYTHONPATH=str(alone), HOME=str(folder)) as kernel:
        for cell_id, source in (("begin", CLUSTER + SIMULATE), ("tasks", TASKS + STATE)):
            run = kernel.run(source, cell_id=cell_id)
            assert run.status == "ok", run.outputs
        kernel.inject(pack, sources=pack.for_workers)
        yield kernel
        kernel.run("client.cluster.stop_cluster_sync()")


@pytest.fixture
def followed(kernel: LiveKernel) -> Iterator[LiveKernel]:
    """The same, whose engines are followed while a test runs."""
    follow(kernel)
    yield kernel
    unfollow(kernel)


def engine(kernel: LiveKernel) -> Any:
    """What a reply says of ipyparallel."""
    rows = reply(kernel)["workers"]["engines"]
    (status,) = [row for row in rows if row["engine"] == "ipyparallel"]
    return status


def follow(kernel: LiveKernel) -> None:
    """Have the engines followed, as a click does, and wait until they have said something."""
    assert kernel.ask("follow", engine="ipyparallel", follow=True)["type"] == "follow"
    until(lambda: engine(kernel)["live"] == 2)
    assert engine(kernel)["state"] == "measured"


def unfollow(kernel: LiveKernel) -> None:
    """Have the helper taken back, and wait until it is gone."""
    kernel.ask("follow", engine="ipyparallel", follow=False)
    until(lambda: not any(state[0] or state[-1] for state in states(kernel)))


def states(kernel: LiveKernel) -> Any:
    """What could be left of us in the engines."""
    return kernel.value("engines.apply_sync(state)")


def held(kernel: LiveKernel, number: int) -> Any:
    """What an engine's own framework has allocated and reserved."""
    return kernel.value(f"client[{number}].apply_sync(held)")


def by_number(kernel: LiveKernel) -> dict[int, Any]:
    """The GPUs by the number of their engine."""
    return {gpu["workers"][0]["rank"]: gpu for gpu in reply(kernel)["gpus"]}


def forget(kernel: LiveKernel) -> None:
    """Have engines forget what they failed by and what they keep, as a person might."""
    source = """
def forget():
    import gc, sys
    from IPython import get_ipython
    for name in ("last_exc", "last_value", "last_traceback", "last_type"):
        vars(sys).pop(name, None)
    shell = get_ipython()
    for name in ("tb", "etype", "evalue"):
        setattr(shell.InteractiveTB, name, None)
    shell.user_ns.pop("kept", None)
    gc.collect()
    if "torch" in sys.modules:
        sys.modules["torch"]._C._cuda_clearCublasWorkspaces()
        sys.modules["torch"].cuda.empty_cache()
engines.apply_sync(forget)
del forget
"""
    assert kernel.run(source, silent=True).status == "ok"


def test_nothing_goes_to_engines_unasked(kernel: LiveKernel) -> None:
    """They are counted, and that is all; a failure is its text."""
    before = states(kernel)
    assert not any(state[0] for state in before)
    assert (engine(kernel)["total"], engine(kernel)["state"]) == (2, "not_measured")
    report, _ = fail(kernel, "client[1].apply_sync(train, 256)")
    assert (report["measured"], report["holders"]) == ("message", [])
    assert (report["worker"]["engine"], report["worker"]["rank"]) == ("ipyparallel", 1)
    assert states(kernel) == before
    forget(kernel)


def test_what_engines_hold_is_told_as_they_say_it(followed: LiveKernel) -> None:
    """By the bytes of their own framework, each on a GPU of its own; also while they work."""
    followed.run("engines.scatter('size', [64, 128]); engines.push({'keep': keep})")
    run = followed.run("%px kept = keep(size[0])", cell_id="keep")
    assert run.status == "ok", run.outputs
    until(lambda: [row["in_use_bytes"] for row in reply(followed)["gpus"]] == [128 * MIB, 64 * MIB])
    for number, gpu in by_number(followed).items():
        (worker,) = gpu["workers"]
        assert (worker["id"], worker["state"]) == (f"ipyparallel:{number}", "live")
        in_use, reserved = held(followed, number)
        assert (worker["in_use_bytes"], worker["cached_bytes"]) == (in_use, reserved - in_use)
        assert worker["pid"] == followed.value(f"client[{number}].apply_sync(os.getpid)")
        assert worker["actions"] == ["free"]
    assert len({row["uuid"] for row in reply(followed)["gpus"]}) == 2
    assert followed.sample()["workers"]["in_use_bytes"] == 192 * MIB
    source = """
def work():
    import time
    kept = keep(100)
    time.sleep(6)
running = client[0].apply_async(work)
"""
    followed.run(source)
    until(lambda: by_number(followed)[0]["in_use_bytes"] == 164 * MIB, 5)
    assert by_number(followed)[0]["workers"][0]["actions"] == []
    followed.run("running.get()")
    followed.run("%px del kept, size, keep", silent=True)


def test_a_failure_is_explained_by_what_the_engine_measured(followed: LiveKernel) -> None:
    """What filled that GPU, by name; and which line of which cell it was."""
    followed.run(
        "client[1].push({'keep': keep}); client[1].execute('kept = keep(100)', block=True)"
    )
    report = explained(followed, "client[1].apply_sync(train, 256)")
    worker = report["worker"]
    assert (worker["engine"], worker["rank"]) == ("ipyparallel", 1)
    assert worker["pid"] == followed.value("client[1].apply_sync(os.getpid)")
    check_measured(report, "kept")
    forget(followed)


def test_what_a_failed_call_still_holds_is_given_back(followed: LiveKernel) -> None:
    """And no name is lost; never beside a call that runs."""
    followed.run(
        "client[0].push({'keep': keep}); client[0].execute('kept = keep(100)', block=True)"
    )
    fail(followed, "client[0].apply_sync(train, 256)")
    stays = held(followed, 0)
    assert stays[0] > 150 * MIB
    followed.run("running = client[0].apply_async(time.sleep, 3); time.sleep(0.5)")
    busy = release(followed, "ipyparallel:0")
    assert (busy["status"], busy["message"]["id"]) == ("refused", "worker.busy")
    followed.run("running.get()")
    freed = release(followed, "ipyparallel:0")
    assert freed["status"] == "done", freed
    after = held(followed, 0)
    assert freed["freed_bytes"] == stays[0] - after[0]
    assert freed["returned_bytes"] == stays[1] - after[1]
    # What is left beside the name is the workspace of cuBLAS, which a restart alone gives.
    assert 100 * MIB <= after[0] <= 117 * MIB
    assert followed.value("client[0].apply_sync(lambda: kept.shape[0])") == 100
    assert release(followed, "ipyparallel:7")["status"] == "refused"
    forget(followed)


def test_a_call_that_catches_its_failure_leaves_nothing(kernel: LiveKernel) -> None:
    """No byte longer than without us, and no report."""
    source = "[client[0].apply_sync(probe, 10 + n) for n in range(4)]"
    without = kernel.value(source)
    follow(kernel)
    assert kernel.value(source) == without
    assert explained(kernel, "client[1].apply_sync(train, 256)")["also_failed"] == 0
    unfollow(kernel)
    forget(kernel)


def test_engines_and_client_are_left_as_they_were(kernel: LiveKernel) -> None:
    """Modules, finders, environment, names, threads; the person's own calls and their results."""
    counts = (
        "[len(client.history), len(client.outstanding), len(client.metadata), len(client.results)]"
    )
    kernel.run("client.wait()")
    before, old_counts = states(kernel), kernel.value(counts)
    follow(kernel)
    assert states(kernel) != before
    assert kernel.value("client.get_result(-1).get()") is not None
    unfollow(kernel)
    until(lambda: states(kernel) == before)
    after = kernel.value(counts)
    until(lambda: kernel.value(counts)[1:] == old_counts[1:])
    assert after[0] >= old_counts[0]
    assert engine(kernel)["state"] == "not_measured"
