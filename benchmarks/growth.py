"""How times grow with what there is: five sizes each, and the slope of time over the largest."""

from __future__ import annotations

import json
import math
import statistics
from typing import TYPE_CHECKING, NamedTuple

from tests.live import LiveKernel

from benchmarks.measure import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TIMES = 9
LAST = 3  # sizes that the slope is of: before them what is there in any case takes most
PRELUDE = f"""
import gpu_headroom, time, json, gc
from gpu_headroom.holders.account import take
from gpu_headroom import release
import gpu_simulator

def session():
    return gpu_headroom.session.current()

def median_ms(call):
    times = []
    for _ in range({TIMES}):
        begin = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - begin))
    return sorted(times)[len(times) // 2]

def walk():
    return take(get_ipython(), session().sampler.latest, session().turn())

def plan():
    return release.plan(session().situation(session().turn()))

def tensor():
    return torch.empty(2**20, dtype=torch.uint8, device="cuda")
"""
ONE_CARD = """
gpu_simulator.simulate("80 GiB", compute="meta")
import torch
tensor()
gpu_headroom.start()
session().sampler.measure()
"""
MAKE_NAMES = "globals().update({f'name_{n}': tensor() for n in range(size)})"
CLEAR_NAMES = "[globals().pop(each) for each in [*globals()] if each.startswith('name_')]"


class Growth(NamedTuple):
    """What grows: code that makes `size` of it, what is timed, and what takes it away again."""

    what: str
    sizes: tuple[int, ...]
    make: str
    timed: str
    clear: str = "del kept"


GROWTHS = (
    Growth(
        "who holds what, by Python objects",
        (10_000, 100_000, 300_000, 1_000_000, 3_000_000),
        "kept = [[number] for number in range(size)]",
        "walk()",
    ),
    Growth(
        "who holds what, by tensors of a list",
        (100, 300, 1_000, 3_000, 10_000),
        "kept = [tensor() for _ in range(size)]",
        "walk()",
    ),
    Growth(
        "who holds what, by names",
        (100, 300, 1_000, 3_000, 10_000),
        MAKE_NAMES,
        "walk()",
        CLEAR_NAMES,
    ),
    Growth(
        "who holds what, by containers in each other",
        (100, 300, 1_000, 3_000, 10_000),
        "kept = tensor()\n"
        "for number in range(size): kept = {'inner': kept} if number % 2 else [kept]",
        "walk()",
    ),
    Growth(
        "who holds what, by operations of a graph",
        (100, 300, 1_000, 3_000, 10_000),
        "kept = torch.ones(2**18, device='cuda', requires_grad=True)\n"
        "for _ in range(size): kept = kept.sin()",
        "walk()",
    ),
    Growth(
        "plan, by variables that can be freed",
        (30, 100, 300, 1_000, 3_000),
        MAKE_NAMES,
        "plan()",
        CLEAR_NAMES,
    ),
)
CARDS = (1, 2, 4, 8, 16)


def rows(python: Path, folder: Path) -> Iterator[Row]:
    """Measure each growth in a kernel of its own."""
    times = []
    for cards in CARDS:
        with LiveKernel(python, folder, installed=True) as kernel:
            kernel.run(f'{PRELUDE}\ngpu_simulator.simulate("4 GiB", devices={cards})')
            used = f"[torch.ones(1, device=f'cuda:{{n}}') for n in range({cards})]"
            code = f"import torch\nkept = {used}\ngpu_headroom.start()"
            assert kernel.run(code).status == "ok"
            run = kernel.run("print(median_ms(session().sampler.measure))")
            times.append(float(run.text))
    yield growth_row("a reading, by cards", CARDS, times)
    for growth in GROWTHS:
        with LiveKernel(python, folder, installed=True) as kernel:
            assert kernel.run(f"{PRELUDE}{ONE_CARD}").status == "ok"
            times = [_ms(kernel, growth, size) for size in growth.sizes]
        yield growth_row(growth.what, growth.sizes, times)


def _ms(kernel: LiveKernel, growth: Growth, size: int) -> float:
    code = f"size = {size}\n{growth.make}\nsession().sampler.measure()\n"
    measure = f"print(json.dumps(median_ms(lambda: {growth.timed})))\n"
    run = kernel.result(kernel.submit(f"{code}{measure}{growth.clear}"), timeout_s=600)
    assert run.status == "ok", run.reply
    return float(json.loads(run.text))


def growth_row(what: str, sizes: Sequence[int], figures: Sequence[float], unit: str = " ms") -> Row:
    """Return the row of what was measured at each size, with its slope."""
    last = sizes[-LAST:]
    slope, steepest = _slope(last, figures[-LAST:]), _slope(last, [n * math.log(n) for n in last])
    listed = ", ".join(
        f"{size:,}: {figure:.3g}" for size, figure in zip(sizes, figures, strict=True)
    )
    return Row(
        f"growth of {what}",
        f"slope ≤ {steepest:.2f}, as n log n",
        f"{listed}{unit}; slope {slope:.2f}",
        slope <= steepest,
    )


def _slope(sizes: Sequence[int], figures: Sequence[float]) -> float:
    """Return the exponent by which a figure grows with size, by least squares of logarithms."""
    return statistics.linear_regression(
        [math.log(size) for size in sizes], [math.log(figure) for figure in figures]
    ).slope
