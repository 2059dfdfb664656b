"""What a dry run costs the kernel beside it, and how long a person waits for one.

A kernel trains on all cores, and its steps are counted: in turns beside nothing, beside a loop
that never ends at the priority of a dry run, and beside a dry run, of which all are held but one.
A step waits for its slower core, so that what has one core's share now and then costs more of it.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from gpu_dry_run.process import GIVE_WAY
from tests.dry_runs.page import Page, processes
from tests.live import SOURCES, LiveKernel

from benchmarks.measure import Row, times_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_WAITS, _TURNS = 4, 120
_WINDOW_S = 1.0
# GPT-2 of 124 million parameters with AdamW, as `make fidelity` plays it.
CELLS = (
    "from benchmarks.fidelity.programs import PROGRAMS",
    "PROGRAMS['gpt2'].function()",
)
TRAIN = """
import json, os, time
import torch

model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(4)])
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, steps = torch.ones(256, 256), []
while not os.path.exists("enough"):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
    steps.append(time.time())
print(json.dumps(steps))
"""


def rows(python: Path, folder: Path) -> Iterator[Row]:
    """Ask for dry runs of a kernel at rest, then for one beside a cell that trains."""
    paths = f"{SOURCES}:{SOURCES.parent}"
    with LiveKernel(python, folder, installed=True, PYTHONPATH=paths, TMPDIR=str(folder)) as kernel:
        kernel.run("import gpu_headroom; gpu_headroom.start()")
        page = Page(kernel)
        waits = [_waits_ms(page) for _ in range(_WAITS)]
        yield times_row("from the click to the first word", [first for first, _ in waits], 3e3)
        what = "to the table: GPT-2 with AdamW, on eleven GPUs"
        yield times_row(what, [last for _, last in waits], 30e3)
        yield from _beside_training(page, folder)


def _waits_ms(page: Page) -> tuple[float, float]:
    """Return how long the first word of a dry run took, and its last one."""
    begin_s = time.monotonic()
    request_id = page.begin(*CELLS, gpu="", agreed=True)
    page.until(lambda: bool(page.steps(request_id)))
    first_s = time.monotonic()
    last = page.end(request_id)
    assert last["status"] == "done", last
    return 1e3 * (first_s - begin_s), 1e3 * (time.monotonic() - begin_s)


def _beside_training(page: Page, folder: Path) -> Iterator[Row]:
    """Let nothing, a loop that never ends, and a dry run go on in turns; the others are held."""
    request = page.kernel.submit(TRAIN)
    time.sleep(1)
    request_id = page.begin(*CELLS, gpu="", agreed=True)
    windows: dict[str, list[float]] = {"nothing": [], "loop": [], "dry run": []}
    with subprocess.Popen(
        [sys.executable, "-c", f"{GIVE_WAY}while True: pass"], start_new_session=True
    ) as loop:
        for turn in range(_TURNS):
            for load in windows if turn % 2 else reversed(windows):
                page.kernel.attach()
                for what, pids in (("loop", [loop.pid]), ("dry run", processes(folder))):
                    _signal(pids, signal.SIGCONT if what == load else signal.SIGSTOP)
                windows[load].append(time.time())
                time.sleep(_WINDOW_S)
        loop.kill()
    _signal(processes(folder), signal.SIGCONT)
    assert all(each["status"] == "running" for each in page.steps(request_id))
    page.ask(action="end")
    page.end(request_id)
    (folder / "enough").touch()
    run = page.kernel.result(request)
    assert run.status == "ok", run.reply
    times: list[float] = json.loads(run.text)
    alone, loop_s, dry_run_s = (
        [_count(times, each) for each in starts] for starts in windows.values()
    )
    yield _slowdown("a loop at `nice 19`", "", alone, loop_s)
    yield _slowdown("a dry run", "as that loop", alone, dry_run_s)


def _slowdown(by: str, goal: str, alone: Sequence[int], beside: Sequence[int]) -> Row:
    slower = [100 * (baseline / count - 1) for baseline, count in zip(alone, beside, strict=True)]
    mean, error = statistics.fmean(slower), 2 * statistics.stdev(slower) / len(slower) ** 0.5
    return Row(
        f"{by} slows a kernel that trains on all cores",
        goal,
        f"{mean:.1f} % ± {error:.1f} (n = {len(slower)}, of {_WINDOW_S:g} s)",
        None,
    )


def _signal(pids: Sequence[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _count(times: Sequence[float], begin_s: float) -> int:
    return sum(begin_s <= time_s < begin_s + _WINDOW_S for time_s in times)
