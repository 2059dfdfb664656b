"""Once its time is over, work on a report hardly grows with what there is to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cycles import FAIL
from tests.live import LiveKernel, attached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.live import Pack

# There is no time at all; what is done nevertheless is counted in calls, which no load changes.
COUNT = """
import sys
import gpu_headroom.session.failures as failures
failures._HOLD_S = 0.0
calls = []
explain = failures.Failures._show_report
def counted(self, *given):
    count = 0
    def on_call(frame, event, value):
        nonlocal count
        count += event == "call" and "gpu_headroom" in frame.f_code.co_filename
    sys.setprofile(on_call)
    try:
        explain(self, *given)
    finally:
        sys.setprofile(None)
        calls.append(count)
failures.Failures._show_report = counted
"""
ERROR = "CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 4.00 GiB."
# What there is to look at, so many times: code that ends in the failure of a GPU.
SHAPES: dict[str, Callable[[int], str]] = {
    "names": lambda n: f"kept_{n} = [torch.empty(1000, device='cuda') for _ in range({n})]\n{FAIL}",
    "lines": lambda n: "\n".join([f"value_{k} = {k}" for k in range(n)]) + f"\n{FAIL}",
    "secrets in lines": lambda n: (
        "\n".join([f"password_{k} = dict(token='hunter{k}', key='{k}')" for k in range(n)])
        + f"\n{FAIL}"
    ),
    "functions": lambda n: (
        "\n".join([f"def f_{k}(a, b=2):\n    return a" for k in range(n)]) + f"\n{FAIL}"
    ),
    "nesting of code": lambda n: f"value = {'[' * (n // 25)}{']' * (n // 25)}\n{FAIL}",
    "nesting of values": lambda n: (
        f"value = []\nfor _ in range({n}): value = [value, torch.empty(9, device='cuda')]\n{FAIL}"
    ),
    "a long line": lambda n: f"text = '{'text ' * 50 * n}'\n{FAIL}",
    "a long text": lambda n: f"text = 'text ' * 500 * {n}\n{FAIL}",
    "a long message": lambda n: (
        f"lines = ''.join(f'  File \"a.py\", line {{k}}, in f\\n' for k in range(25 * {n}))\n"
        f"raise torch.OutOfMemoryError(lines + {ERROR!r})"
    ),
    "nodes": lambda n: (
        "g = torch.ones(8, device='cuda', requires_grad=True)\n"
        f"for _ in range(2 * {n}): g = g * 2.0\n{FAIL}"
    ),
    "frames": lambda n: (
        f"def deep(n):\n    here = torch.empty(9, device='cuda')\n    if n: deep(n - 1)\n"
        f"    else: kept = torch.empty(2**33, device='cuda')\ndeep({n // 20})"
    ),
}
FEW, MANY = 1000, 4000
MOST_CALLS = 6  # for each name, line or node more


@pytest.fixture(scope="module")
def gpu(python: Path, pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel with a simulated GPU, in which reports have no time."""
    folder = tmp_path_factory.mktemp("hold")
    with attached(python, folder, pack, installed=True, GPU_HEADROOM_SIMULATE="4GiB") as kernel:
        kernel.run("import torch")
        kernel.run(COUNT)
        yield kernel


@pytest.mark.parametrize("shape", SHAPES)
def test_once_the_time_is_over_little_is_done_for_what_there_is_more(
    gpu: LiveKernel, shape: str
) -> None:
    """The first of its kind imports what it needs, so it is not counted."""
    for count in (FEW, FEW, MANY):
        gpu.free()
        run = gpu.run(SHAPES[shape](count), stop_on_error=False)
        assert run.report["looking"] is True
    few, many = gpu.value("calls[-2:]")
    assert many - few < MOST_CALLS * (MANY - FEW)
