"""From the error to the report, and what a release gives back."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from tests.live import SOURCES, LiveKernel

from benchmarks.measure import Row, spread, times_row
from benchmarks.payload import pack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KERNELS = 20
FAILURES = 10
REPORT = "application/vnd.gpu-headroom.report+json"
REST_S = 3.0

# Variables on the GPU, lines of the failing cell (of each kind), nodes of a graph there.
SURFACE = list(product((0, 2000), (0, 1500), (0, 20_000)))[1:]
LEAF = "g = torch.ones(8, device='cuda', requires_grad=True)"
KINDS = {
    "assignments": "value_{n} = torch.zeros({n} % 97 + 1, device='cuda') + {n}",
    "loops": "for j in range(2):\n    kept = [k * {n} for k in range(3)]\n    x_{n} = kept[0] + j",
    "functions": "def f_{n}(a, b={n}):\n    with torch.no_grad():\n        c = a + b\n    return c",
}

# The helper is hidden in such a kernel, so that a page brings it; its report is not.
WITH_SIMULATOR = f"""
import sys
(finder,) = [each for each in sys.meta_path if hasattr(each, "find_spec")
             and "WHEEL" in getattr(each.find_spec, "__func__", each.find_spec).__globals__]
finder.find_spec.__func__.__globals__["WHEEL"] = ("gpu_headroom",)
sys.path.append({str(SOURCES)!r})
"""

SPENT = """
import threading, time
(thread,) = [each for each in threading.enumerate() if each.name == "gpu-headroom"]
spent_ms = 1000 * time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
"""

MODEL = """
import gpu_simulator, time
gpu_simulator.simulate("4 GiB", compute="meta", outside="300 MiB")
import torch
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(40)]).cuda()
"""

# From the end of IPython's work to the end of ours: a collection of garbage may come before.
HOLD = """
held_ms, ended_s = [], [0.0]
def note_end(): ended_s[0] = time.perf_counter()
def note_hold(_): held_ms.append(1000 * (time.perf_counter() - ended_s[0]))
get_ipython().events.register("post_execute", note_end)
get_ipython().events.register("post_run_cell", note_hold)
"""

FAIL = """
batch_size = 32768
def train():
    try:
        model(torch.randn(batch_size, 1024, device="cuda"))
    except torch.OutOfMemoryError:
        print(time.time())
        raise
train()
"""


def rows(python: Path, folder: Path) -> Iterator[Row]:
    """Measure failures of the demo's kind, with and without many objects in the kernel."""
    first, spent_ms = [], []
    for _ in range(KERNELS):
        with _page_kernel(python, folder) as kernel:
            spent_ms.append(kernel.value("spent_ms"))
            first.append(_fail(kernel))
    what = (
        "processor time of the helper's thread at rest, until all that a report needs is compiled"
    )
    yield Row(what, "", spread(spent_ms))
    yield times_row(
        "error → report, the first of a kernel", [times.report_ms for times in first], 500
    )
    yield times_row("… of it after the traceback was shown", [times.own_ms for times in first])
    with _kernel(python, folder) as kernel:
        baseline = kernel.value("torch.cuda.memory_allocated()")
        _fail(kernel)
        later = [_fail(kernel) for _ in range(FAILURES)]
        yield times_row("error → report, later ones", [times.report_ms for times in later], 500)
        yield times_row("… of it after the traceback was shown", [times.own_ms for times in later])
        kernel.run("objects = [[each] for each in range(1_000_000)]")
        many = [_fail(kernel).own_ms for _ in range(FAILURES)]
        yield times_row("… the same with a million Python objects more", many)
        excess = kernel.value("torch.cuda.memory_allocated()") - baseline
        since = kernel.now
        kernel.ask("release", items=None, confirmed=[], report_id=None)
        released = kernel.await_event("released", since)
        rest = kernel.value("torch.cuda.memory_allocated()") - baseline
        share = 100 * (excess - rest) / excess
        yield Row(
            "recovered after an error, of what a restart would recover",
            "≥ 99 %",
            f"{share:.1f} % of {excess / 2**30:.1f} GiB ({released['status']})",
            share >= 99,
        )


def surface_rows(python: Path, folder: Path) -> Iterator[Row]:
    """Measure how long a report holds the kernel, by names, lines and nodes: none above 0.5 s."""
    for names, lines, nodes in SURFACE:
        for kind in KINDS if lines else ["assignments"]:
            with _kernel(python, folder) as kernel:
                variables = "; ".join(
                    f"name_{n} = torch.empty(1000, device='cuda')" for n in range(names)
                )
                kernel.run(variables)
                graph = f"{LEAF}\nfor _ in range({nodes}): g = g + 1"
                code = "\n".join(KINDS[kind].format(n=n) for n in range(lines))
                _fail(kernel)
                kernel.run(HOLD)
                for _ in range(FAILURES):
                    _fail(kernel, f"{graph}\n{code}\n")
                times_ms = kernel.value(f"held_ms[-{FAILURES}:]")
            what = f"report: {names} names, {lines} {kind}, {nodes} nodes of a graph"
            yield times_row(what, times_ms, 500)


def _page_kernel(python: Path, folder: Path) -> LiveKernel:
    """Start a kernel in which a page puts the helper, which then has some seconds of rest."""
    kernel = LiveKernel(python, folder)
    assert kernel.run(WITH_SIMULATOR).status == "ok"
    kernel.inject(pack())
    kernel.attach()
    assert kernel.run(MODEL).status == "ok"
    time.sleep(REST_S)
    assert kernel.run(SPENT).status == "ok"
    return kernel


def _kernel(python: Path, folder: Path) -> LiveKernel:
    kernel = LiveKernel(python, folder, installed=True)
    kernel.run("import gpu_headroom; gpu_headroom.start()")
    kernel.attach()
    assert kernel.run(MODEL).status == "ok"
    return kernel


@dataclass(frozen=True)
class _Times:
    report_ms: float
    """From the error in the cell to the report."""
    own_ms: float
    """From the traceback, which IPython shows before it, to the report."""


def _fail(kernel: LiveKernel, before: str = "") -> _Times:
    """Let the cell fail and return when what was sent, by the kernel's clock."""
    run = kernel.run(before + FAIL, cell_id="failing")
    times = {
        REPORT if REPORT in message["content"].get("data", {}) else message["msg_type"]: (
            message["header"]["date"].timestamp()
        )
        for message in run.messages
    }
    return _Times(1000 * (times[REPORT] - float(run.text)), 1000 * (times[REPORT] - times["error"]))
