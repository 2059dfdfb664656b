"""What ranks that a notebook forks pay for the helper that was copied with them.

Each is forked from a kernel with a CUDA build over a stub of the runtime (`make cuda`), in turn
with the helper's part in it switched on and off.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from tests.live import LiveKernel

from benchmarks.measure import Row, figures, percentile, spread

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scripts.cuda import Environment

PAIRS = 12
OBJECTS = 300_000
LAUNCHES = 1_000_000  # seconds, in which a rank is read several times
READINGS = 500
ALLOCATOR = "PyTorch's own allocator"

BEGIN = f"""
LAUNCHES, READINGS = {LAUNCHES}, {READINGS}
"""
BEGIN += """
import gpu_headroom, json, os, time
import torch
from torch import nn
from torch.multiprocessing import start_processes

torch.set_num_threads(1)

def loop(rank):
    x = torch.ones(8, device="cuda")
    for _ in range(2000):
        x.add_(1)
    begun = time.perf_counter()
    for _ in range(LAUNCHES):
        x.add_(1)
    with open("seconds", "w") as file:
        file.write(str(time.perf_counter() - begun))

def read(rank):
    from gpu_headroom.readings.sources import Sources
    from gpu_headroom.workers.rank import READING, Rank

    mine, sources, took, kept = Rank(folder, print, time.time(), 1), Sources(print), [], []
    mine._pid = 0  # beside the thread, which says the same
    who = {"rank": rank, "born": "123456789", **mine._cell}
    for n in range(READINGS):
        kept.append(torch.empty(n % 7 + 1, 2**20, dtype=torch.uint8, device="cuda"))
        del kept[:-3]
        begun = time.thread_time()
        mine.say(sources, who)
        took.append(1e6 * (time.thread_time() - begun))
    size = os.stat(f"{folder.path}/0{READING}").st_size
    with open("readings", "w") as file:
        json.dump([took[10:], size], file)

def run_out(rank):
    model = nn.Sequential(*[nn.Linear(64, 64) for _ in range(20)]).cuda()
    kept = []
    while True:
        kept.append(model(torch.ones(1024, 64, device="cuda")))
        if len(kept) > 50:
            kept.append(torch.empty(2**50, dtype=torch.uint8, device="cuda"))

def launch(function, is_on):
    gpu_headroom.session.current().wings.named("workers").ranks._is_open = is_on
    begun = time.perf_counter()
    try:
        start_processes(function, nprocs=1, start_method="fork")
    except Exception:
        pass
    return time.perf_counter() - begun

def pairs(measure, count):
    found = [[measure(on) for on in ((True, False), (False, True))[n % 2]] for n in range(count)]
    print(json.dumps([pair if n % 2 == 0 else pair[::-1] for n, pair in enumerate(found)]))

def loop_s(is_on):
    launch(loop, is_on)
    return float(open("seconds").read())
"""


def rows(environment: Environment, folder: Path) -> Iterator[Row]:
    """Measure a loop that only launches, and a failure, in a rank with and without us."""
    if not environment.is_there:
        yield Row("a rank that a notebook forks", "", "not measured: `make cuda` first")
        return
    environment.build()
    python, variables = environment.python, environment.variables
    with LiveKernel(python, folder, installed=True, **variables) as kernel:
        assert kernel.run(BEGIN).status == "ok"
        kernel.run("gpu_headroom.start()")
        kernel.attach(rate_hz=2)
        kernel.is_checked = False
        found = figures(kernel, f"pairs(loop_s, {PAIRS})")
        shares = sorted(100 * (on / off - 1) for on, off in found)
        low, high = shares[PAIRS // 4], shares[-PAIRS // 4 - 1]
        middle = statistics.median(shares)
        yield Row(
            f"slowdown of a loop that only launches, in a rank that says twice a second what it "
            f"holds, {ALLOCATOR}",
            "≤ 0.1 %",
            f"{middle:.2f} % (half of {PAIRS} pairs within {low:.2f} to {high:.2f})",
            True if high <= 0.1 else None if low <= 0.1 else False,
        )
        yield _reading(kernel)
        yield _failure(kernel, "a rank that runs out: what its report adds to the end of the cell")
        kernel.run(f"many = [[number] for number in range({OBJECTS})]")
        yield _failure(kernel, f"… with {OBJECTS:,} objects more in the kernel", goal_ms=1000)


def _reading(kernel: LiveKernel) -> Row:
    """Measure what one reading takes of a rank, each after memory was taken and given back."""
    kernel.run("folder = gpu_headroom.session.current().wings.named('workers').ranks._folder")
    kernel.run("launch(read, True)")
    took_us, size = figures(kernel, "print(open('readings').read())")
    return Row(
        f"one reading of a rank, processor time, {ALLOCATOR}",
        "≤ 50 µs, ≤ 300 B",
        f"{spread(took_us, 'µs')}; a file of {size} B",
        percentile(took_us, 0.95) <= 50 and size <= 300,
    )


def _failure(kernel: LiveKernel, what: str, goal_ms: float | None = None) -> Row:
    found = figures(kernel, f"pairs(lambda on: launch(run_out, on), {PAIRS})")
    more = sorted(1000 * (on - off) for on, off in found)
    middle, most = statistics.median(more), more[-1]
    return Row(
        f"{what}, {ALLOCATOR}",
        "" if goal_ms is None else f"≤ {goal_ms:g} ms",
        f"{middle:.0f} ms (at most {most:.0f}, n = {PAIRS})",
        None if goal_ms is None else most <= goal_ms,
    )
