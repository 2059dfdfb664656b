"""Worker processes of Ray that are followed: what they say, how they fail, what they give back."""

from __future__ import annotations

import time
from contextlib import contextmanager
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
# Two processes never share a GPU: each takes a number that no other has. It is there before ours
# is: threads that are older do not see the GPU.
START = """
import os, time
import gpu_headroom, ray

folder = os.path.abspath("numbers")
os.makedirs(folder, exist_ok=True)

def begin():
    import os, gpu_simulator
    for number in range(64):
        try:
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            pass
    os.environ["CUDA_VISIBLE_DEVICES"] = str(number)
    gpu_simulator.simulate("1GiB*64")
    HOOK()

ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, runtime_env={
    "worker_process_setup_hook": begin})
"""
WITH = START.replace(
    "def begin", 'hook = gpu_headroom.ray_environment()["worker_process_setup_hook"]\n\ndef begin'
).replace("HOOK", "hook")
WITHOUT = START.replace("HOOK", "(lambda: None)").replace("import gpu_headroom, ray", "import ray")
PLAIN = "ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)"
ACTORS = """
def state():
    import os, sys, threading
    return [
        sorted(name for name in sys.modules if name.startswith(("gpu_headroom", "_gpu_headroom"))),
        [type(each).__name__ for each in sys.meta_path if type(each).__name__ == "InMemory"],
        sorted(key for key in os.environ if "HEADROOM" in key),
        sorted(each.name for each in threading.enumerate() if "headroom" in each.name),
    ]

@ray.remote
class Model:
    def __init__(self):
        self.weights = None

    def keep(self, mib):
        self.weights = None
        self.weights = keep(mib)

    def run(self, function, *given):
        return function(*given)

    def stay(self):
        while os.path.exists(f"{folder}/stay"):
            time.sleep(0.1)

    def pid(self):
        return os.getpid()

models = [Model.remote() for _ in range(2)]
pids = ray.get([each.pid.remote() for each in models])
"""


@contextmanager
def kernel_with(python: Path, pack: Pack, folder: Path, begin: str) -> Iterator[LiveKernel]:
    """A kernel with a Ray of its own, whose processes lack the helper."""
    alone = folder / "packages"
    alone.mkdir()
    (alone / "gpu_simulator").symlink_to(SOURCES / "gpu_simulator")
    # Ray writes below the home, asks for a token, and hides GPUs from what asks for none.
    variables: Any = {
        "HOME": str(folder),
        "PYTHONPATH": str(alone),
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES": "1",
    }
    with attached(python, folder, pack, **variables) as kernel:
        kernel.inject(pack, sources=pack.for_workers)
        start(kernel, begin)
        yield kernel
        kernel.run("ray.shutdown()")


def start(kernel: LiveKernel, begin: str) -> None:
    """Start a Ray with two actors."""
    for cell_id, source in (("begin", begin), ("tasks", TASKS), ("actors", ACTORS)):
        run = kernel.result(kernel.submit(source, cell_id=cell_id), timeout_s=120)
        assert run.status == "ok", run.outputs


@pytest.fixture(scope="module")
def kernel(
    engines_python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """A kernel whose processes have the hook."""
    with kernel_with(engines_python, pack, tmp_path_factory.mktemp("notebook"), WITH) as kernel:
        until(lambda: engine(kernel)["live"] >= 2, patience_s=120)
        assert engine(kernel)["state"] == "measured"
        yield kernel


def engine(kernel: LiveKernel) -> Any:
    """What a reply says of Ray."""
    (status,) = [row for row in reply(kernel)["workers"]["engines"] if row["engine"] == "ray"]
    return status


def by_pid(kernel: LiveKernel) -> dict[int, Any]:
    """The GPUs by the process of their worker."""
    return {gpu["workers"][0]["pid"]: gpu for gpu in reply(kernel)["gpus"]}


def of_actors(kernel: LiveKernel, function: str, *values: Any) -> Any:
    """What a function says in each actor."""
    calls = f"each.run.remote({', '.join([function, *map(repr, values)])})"
    return kernel.value(f"ray.get([{calls} for each in models])")


def test_what_processes_hold_is_told_as_they_say_it(kernel: LiveKernel) -> None:
    """By the bytes of their own framework, each on a GPU of its own; also while they work."""
    source = "ray.get([each.keep.remote(64 * (n + 1)) for n, each in enumerate(models)])"
    assert kernel.run(source, cell_id="keep").status == "ok"
    until(lambda: sum(gpu["in_use_bytes"] for gpu in by_pid(kernel).values()) == 192 * MIB)
    gpus = by_pid(kernel)
    for pid, sizes in zip(kernel.value("pids"), of_actors(kernel, "held"), strict=True):
        (worker,) = gpus[pid]["workers"]
        assert (worker["name"], worker["state"]) == (f"Model pid={pid}", "live")
        assert [worker["in_use_bytes"], worker["cached_bytes"]] == [sizes[0], sizes[1] - sizes[0]]
        assert worker["actions"] == ["free"]
    assert len({device["uuid"] for device in gpus.values()}) == 2
    until(lambda: kernel.sample()["workers"]["in_use_bytes"] == 192 * MIB)
    until(lambda: len(reply(kernel, "Model pid")["gpus"]) == 2)
    until(lambda: len(reply(kernel, "nowhere")["gpus"]) == 0)


def test_a_failure_is_explained_by_what_the_process_measured(kernel: LiveKernel) -> None:
    """What filled that GPU, by name; and which line of which cell it was."""
    kernel.run("ray.get(models[0].keep.remote(100))")
    report = explained(kernel, "ray.get(models[0].run.remote(train, 256))")
    worker = report["worker"]
    assert (worker["engine"], worker["pid"]) == ("ray", kernel.value("pids[0]"))
    check_measured(report, "self.weights")


def worker_of(kernel: LiveKernel, pid: int) -> str:
    """The id of the worker that is this process."""
    until(lambda: pid in by_pid(kernel))
    return str(by_pid(kernel)[pid]["workers"][0]["id"])


STAYS = 'open(f"{folder}/stay", "w").close(); running = models[0].stay.remote()'
GOES_ON = 'os.remove(f"{folder}/stay"); ray.get(running)'
FAILS = """
def fail_with(mib):
    import gc, torch
    kept = keep(mib)
    try:
        torch.empty(2**34, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError as caught:
        error = caught  # a cycle: its traceback has this frame
    gc.collect()  # what is left now is old: only a full collection finds it
    raise error
"""


def check_freed(kernel: LiveKernel) -> None:
    """The first actor gives back what a failed method holds, and keeps what is its own."""
    kernel.run("ray.get(models[0].keep.remote(50))")
    kernel.run(FAILS, cell_id="fails")
    before = of_actors(kernel, "held")[0]
    fail(kernel, "ray.get(models[0].run.remote(fail_with, 100))")
    stays = of_actors(kernel, "held")[0]
    assert stays[0] == before[0] + 100 * MIB
    worker_id = worker_of(kernel, kernel.value("pids[0]"))
    kernel.run(STAYS)
    until(lambda: by_pid(kernel)[kernel.value("pids[0]")]["workers"][0]["actions"] == [])
    busy = release(kernel, worker_id)
    assert (busy["status"], busy["message"]["id"]) == ("refused", "worker.busy")
    kernel.run(GOES_ON)
    freed = release(kernel, worker_id)
    left = of_actors(kernel, "held")[0]
    assert (freed["status"], freed["freed_bytes"]) == ("done", 100 * MIB)
    assert freed["returned_bytes"] == stays[1] - left[1]
    assert left[0] == before[0]
    shape = "ray.get(models[0].__ray_call__.remote(lambda model: model.weights.shape[0]))"
    assert kernel.value(shape) == 50
    assert release(kernel, worker_id)["status"] == "nothing"


def test_what_a_failed_method_still_holds_is_given_back(kernel: LiveKernel) -> None:
    """To the byte; never beside a method that runs."""
    check_freed(kernel)


def test_a_process_that_falls_silent_has_not_freed_anything(kernel: LiveKernel) -> None:
    """Neither is said that it has nor that it has not; the next request is another one."""
    kernel.run("ray.get(models[0].keep.remote(50))")
    worker_id = worker_of(kernel, kernel.value("pids[0]"))
    kernel.run("import signal; os.kill(pids[0], signal.SIGSTOP)")
    try:
        answer = release(kernel, worker_id)
        assert (answer["status"], answer["message"]["id"]) == ("failed", "worker.unanswered")
        assert release(kernel, worker_id)["message"]["id"] == "worker.gone"
    finally:
        kernel.run("os.kill(pids[0], signal.SIGCONT)")
    until(lambda: release(kernel, worker_id)["status"] in {"done", "nothing"})


def test_coroutines_may_wait_unseen(kernel: LiveKernel) -> None:
    """Nothing is freed where it is not known whether an actor is idle."""
    kernel.run("""
@ray.remote
class Server:
    async def keep(self, mib):
        self.weights = keep(mib)
        return os.getpid()

server = Server.remote()
pid = ray.get(server.keep.remote(16))
""")
    pid = kernel.value("pid")
    worker_id = worker_of(kernel, pid)
    assert by_pid(kernel)[pid]["workers"][0]["actions"] == []
    answer = release(kernel, worker_id)
    assert (answer["status"], answer["message"]["id"]) == ("refused", "worker.untold")
    kernel.run("ray.kill(server)")


def test_methods_and_threads_aside_are_work(kernel: LiveKernel) -> None:
    """Of an actor with several threads, and of one that has begun a thread of its own."""
    kernel.run("""
def hold(model, function, *given):
    # Its own threads are older than the simulated GPU.
    import threading
    thread = threading.Thread(target=lambda: vars(model).update(weights=function(*given)))
    thread.start()

wide = Model.options(max_concurrency=3).remote()
wide_pid = ray.get(wide.pid.remote())
ray.get(wide.__ray_call__.remote(hold, keep, 16))
""")
    worker_id = worker_of(kernel, kernel.value("wide_pid"))
    for begin in (
        "ray.get(wide.__ray_call__.remote(hold, time.sleep, 6))",
        "running = wide.run.remote(time.sleep, 6); time.sleep(0.5)",
    ):
        until(lambda: release(kernel, worker_id)["status"] in {"done", "nothing"})
        kernel.run(begin)
        assert release(kernel, worker_id)["message"]["id"] == "worker.busy"
    kernel.run("ray.kill(wide)")


def test_what_catches_its_failure_leaves_nothing(kernel: LiveKernel) -> None:
    """No byte longer than without us, and no report."""
    before = of_actors(kernel, "held")
    peaks = of_actors(kernel, "probe", 10)
    assert [size - 10 * MIB for size in peaks] == [size for size, _ in before]
    assert [size for size, _ in of_actors(kernel, "held")] == [size for size, _ in before]


def test_processes_are_left_as_they_were(kernel: LiveKernel) -> None:
    """Modules, finders, environment and threads; and no actor of ours."""
    assert all(state[0] and state[3] for state in of_actors(kernel, "state"))
    kernel.ask("follow", engine="ray", follow=False)
    until(lambda: not any(row[0] or row[-1] for row in of_actors(kernel, "state")))
    inherited = kernel.value("sorted(key for key in os.environ if 'HEADROOM' in key)")
    assert of_actors(kernel, "state") == [[[], [], inherited, []]] * 2
    assert engine(kernel)["state"] == "not_measured"
    until(lambda: kernel.value(BOXES) == [])
    report, _ = fail(kernel, "ray.get(models[0].run.remote(train, 256))")
    assert (report["measured"], report["worker"]["engine"]) == ("message", "ray")


BOXES = "[each for each in ray.util.list_named_actors(True) if 'headroom' in each['name']]"


@pytest.mark.timeout(420)  # two Rays start, one after the other
def test_a_ray_that_ends_and_one_that_has_no_hook(
    engines_python: Path, pack: Pack, tmp_path: Path
) -> None:
    """The first is not measured, and says how it would be; nothing starts another one."""
    with kernel_with(engines_python, pack, tmp_path, WITHOUT) as kernel:
        assert engine(kernel)["state"] == "not_measured"
        report, _ = fail(kernel, "ray.get(models[0].run.remote(train, 256))")
        assert (report["measured"], report["holders"]) == ("message", [])
        kernel.ask("follow", engine="ray", follow=True)
        until(lambda: engine(kernel)["message"] is not None)
        assert engine(kernel)["message"]["id"] == "worker.silent"  # its hook may be ours
        kernel.run("ray.shutdown()")
        until(lambda: reply(kernel)["workers"] is None)
        time.sleep(3)
        assert not kernel.value("ray.is_initialized()")
        kernel.result(kernel.submit(PLAIN), timeout_s=120)
        until(lambda: engine(kernel)["message"] is not None)
        assert "ray_environment()" in engine(kernel)["message"]["text"]
        assert engine(kernel)["state"] == "not_measured"
        assert kernel.value(BOXES) == []
        kernel.run("ray.shutdown()")
        start(kernel, WITH)
        until(lambda: engine(kernel)["live"] >= 2, patience_s=120)
        kernel.run("ray.get([each.keep.remote(8) for each in models])")
        worker_id = worker_of(kernel, kernel.value("pids[0]"))
        kernel.run(f"box, = {BOXES}\nray.kill(ray.get_actor(**box))")
        assert release(kernel, worker_id)["message"]["id"] in {"worker.no_box", "worker.gone"}
        until(lambda: engine(kernel)["message"] is not None)
        until(lambda: engine(kernel)["message"] is None and engine(kernel)["live"] >= 2)
        assert explained(kernel, "ray.get(models[0].run.remote(train, 256))")["parts"]
