"""What the workers of a Dask cluster pay for being measured, and what one gets for it.

Real workers on this machine, each with a simulated GPU; a thousand of them are the state of a real
scheduler with readings that are made up.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.engines.test_dask import kernel_with
from tests.live import Pack

from benchmarks.measure import Row, figures
from benchmarks.pixel import measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.live import LiveKernel

PAIRS = 8
TASKS = 2000
MANY = 1000
MIB = 2**20

MORE = """
import gc, json, statistics
at = list(client.scheduler_info()["workers"])[0]

def train(objects):
    import torch
    many = [[number] for number in range(objects)]
    model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(4)]).cuda()
    hidden = torch.zeros(256, 1024, device="cuda")
    try:
        while True:
            hidden = torch.cat([model(hidden), model(hidden)])
    except torch.OutOfMemoryError:
        with open("failed", "w") as file:
            file.write(str(time.time()))
        raise

def small(number):
    return number + 1

def tasks():
    begun = time.perf_counter()
    client.gather(client.map(small, range(COUNT), pure=False))
    return time.perf_counter() - begun

def held_after(free):
    "What a failed task still holds after something was done, of what it held."
    kept = client.submit(keep, 100, workers=[at], pure=False)
    kept.exception()
    before = client.run(held, workers=[at])[at][0]
    client.submit(train, 0, workers=[at], pure=False).exception()
    failed = client.run(held, workers=[at])[at][0]
    free()
    left = client.run(held, workers=[at])[at][0]
    return [failed - before, failed - left]

first = client.submit(keep, 1, workers=[at])
first.exception()
""".replace("COUNT", str(TASKS))

THOUSAND = """
import sys
from gpu_headroom.workers.travel import by_value

SENT = "workers/cards.py", "workers/arriving.py", "workers/dask_plugin.py"

def thousand(questions, look, count, dask_scheduler=None):
    import json, time
    from distributed.scheduler import WorkerState
    from distributed.core import Status
    from types import SimpleNamespace
    workers = {}
    for number in range(count):
        address = f"tcp://10.0.{number // 250}.{number % 250}:4000"
        worker = WorkerState(
            address=address, status=Status.running, pid=number, name=number, nthreads=1,
            memory_limit=0, local_directory="/tmp", nanny=address, server_id=str(number),
        )
        worker.last_seen = time.time()
        worker.metrics = {"gpu_headroom": {
            "pid": number, "host": f"node{number // 8}",
            "devices": [{
                "index": 0, "uuid": f"GPU-{number:032d}", "name": "NVIDIA A100-SXM4-80GB",
                "simulated": False, "capacity_bytes": 85_899_345_920,
                "in_use_bytes": number * 10**7, "cached_bytes": 10**8,
                "taken_bytes": number * 10**7 + 2 * 10**8,
            }],
        }}
        workers[address] = worker
    scheduler, times = SimpleNamespace(workers=workers), []
    for _ in range(50):
        begun = time.perf_counter()
        told = look(questions, dask_scheduler=scheduler)
        times.append(time.perf_counter() - begun)
    return times, len(json.dumps(told))

print(json.dumps(client.run_on_scheduler(
    thousand, [(None, "", 0)], by_value(*SENT)["look"], MANY
)))
"""


def rows(folder: Path) -> Iterator[Row]:
    """Measure tasks with and without us, a failure, what is freed, and a thousand workers."""
    pack = Pack.read(Path(__file__).parents[1] / "src" / "kernel" / "pack.ts")
    with kernel_with(Path(sys.executable), pack, folder) as kernel:
        kernel.is_checked = False
        run = kernel.run(MORE, cell_id="more")
        assert run.status == "ok", run.outputs
        yield _followed(kernel)
        yield from _sent(kernel)
        yield from _thousand(kernel)
        yield _shown(folder)
        yield _card(kernel, folder, "from a worker's error to the card in the cell", 0)
        yield _card(kernel, folder, "… with 300,000 objects more in the worker", 300_000)
        yield from _freed(kernel)
        yield _slowdown(kernel)


def _engine(kernel: LiveKernel) -> Any:
    told = kernel.ask("workers", filter="")["workers"]
    return next(each for each in told["engines"] if each["engine"] == "dask")


def _until(is_so: Callable[[], object]) -> None:
    ends_s = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < ends_s
        time.sleep(0.005)


def _follow(kernel: LiveKernel, *, is_on: bool) -> float:
    begun = time.perf_counter()
    kernel.ask("follow", engine="dask", follow=is_on)
    state = "measured" if is_on else "not_measured"
    _until(lambda: _engine(kernel)["state"] == state)
    return time.perf_counter() - begun


def _followed(kernel: LiveKernel) -> Row:
    times = []
    for _ in range(PAIRS):
        times.append(_follow(kernel, is_on=True))
        _follow(kernel, is_on=False)
        time.sleep(1)
    middle, most = statistics.median(times), max(times)
    measured = f"{middle:.2f} s (at most {most:.2f}, n = {PAIRS})"
    return Row("follow, two workers that lack the package", "≤ 1 s", measured, most <= 1)


def _sent(kernel: LiveKernel) -> Iterator[Row]:
    code = (
        "import gpu_headroom, sys; from gpu_headroom.workers import travel\n"
        "print(json.dumps(len(travel.pack()[0])))"
    )
    size = figures(kernel, code)
    yield Row("… what each is sent", "≤ 120 kB, once", f"{size / 1000:.0f} kB", size <= 120_000)
    _follow(kernel, is_on=True)
    _until(lambda: _engine(kernel)["live"] == 2)
    time.sleep(2)
    code = """
def metric(dask_worker=None):
    call, times = dask_worker.metrics["gpu_headroom"], []
    for _ in range(1000):
        begun = time.perf_counter()
        told = call(dask_worker)
        times.append(time.perf_counter() - begun)
    return [statistics.median(times), len(json.dumps(told))]
print(json.dumps(client.run(metric, workers=[at])[at]))
"""
    seconds, size = figures(kernel, code)
    micros = 1e6 * seconds
    yield Row("a reading on the loop of a worker", "≤ 50 µs", f"{micros:.1f} µs", micros <= 50)
    yield Row("… its size as JSON", "≤ 0.3 kB", f"{size} bytes", size <= 300)


def _thousand(kernel: LiveKernel) -> Iterator[Row]:
    times, size = figures(kernel, THOUSAND.replace("MANY", str(MANY)))
    middle, most = 1000 * statistics.median(times), 1000 * max(times)
    yield Row(
        f"the summary of {MANY:,} workers, on the scheduler",
        "≤ 5 ms",
        f"{middle:.1f} ms (at most {most:.1f}, n = {len(times)})",
        middle <= 5,
    )
    yield Row("… its size", "≤ 16 kB", f"{size / 1000:.1f} kB", size <= 16_000)


def _shown(folder: Path) -> Row:
    what = f"tasks over 50 ms of a page that shows {MANY:,} workers"
    found = measured("workers", folder)
    if found is None:
        return Row(what, "0", "not measured")
    count, without = len(found["tasks_ms"]), len(found["without_ms"])
    seconds = found["watched_ms"] / 1000
    text = f"{count} in {seconds:.0f} s (with the panel and no worker {without})"
    return Row(what, "0", text, count <= without)


def _card(kernel: LiveKernel, folder: Path, what: str, objects: int) -> Row:
    times = []
    for _ in range(4):
        time.sleep(11)  # a worker looks at one failure in ten seconds
        source = f"client.submit(train, {objects}, workers=[at], pure=False).result()"
        run = kernel.run(source, cell_id="launch", stop_on_error=False)
        shown = next(each for each in run.messages if each["msg_type"] == "display_data")
        report = shown["content"]["data"]["application/vnd.gpu-headroom.report+json"]
        assert report["measured"] == "worker"
        failed_s = float((folder / "failed").read_text())
        times.append(shown["header"]["date"].timestamp() - failed_s)
    middle, most = statistics.median(times), max(times)
    return Row(what, "≤ 1 s", f"{middle:.2f} s (at most {most:.2f}, n = 4)", most <= 1)


def _freed(kernel: LiveKernel) -> Iterator[Row]:
    ways = {
        "doing nothing": "lambda: time.sleep(1)",
        "`client.run(gc.collect)`": "lambda: client.run(gc.collect, workers=[at])",
    }
    for what, free in ways.items():
        held, back = kernel.value(f"held_after({free})")  # what a worker logs comes as it will
        measured = f"{back / MIB:.0f} of {held / MIB:.0f} MiB"
        yield Row(f"of a failed task comes back by {what}", "", measured)
        kernel.run("client.run(gc.collect)", silent=True)
    held, _ = kernel.value("held_after(lambda: None)")
    worker_id = f"dask:{kernel.value('at')}"
    reply = kernel.ask("worker_release", worker_id=worker_id, action="free")
    released = kernel.await_event("worker_released", request_id=reply["id"])
    freed = released["message"]["params"]["freed_bytes"]
    measured = f"{freed / MIB:.0f} of {held / MIB:.0f} MiB, the result beside it stays"
    yield Row("… by *Free* in the panel", "≥ 99 %", measured, freed >= 0.99 * held)


def _slowdown(kernel: LiveKernel) -> Row:
    kernel.value("tasks()")
    pairs = []
    for number in range(PAIRS):
        seconds = {}
        for is_on in ((True, False), (False, True))[number % 2]:
            _follow(kernel, is_on=is_on)
            time.sleep(1)
            seconds[is_on] = kernel.value("tasks()")
        pairs.append(100 * (seconds[True] / seconds[False] - 1))
    pairs.sort()
    low, high = pairs[PAIRS // 4], pairs[-PAIRS // 4 - 1]
    return Row(
        f"slowdown of {TASKS:,} small tasks",
        "≤ 0.5 %",
        f"{statistics.median(pairs):.1f} % (half of {PAIRS} pairs within {low:.1f} to {high:.1f})",
        True if high <= 0.5 else None if low <= 0.5 else False,
    )
