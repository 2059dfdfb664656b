"""What is said of a cell: growth over its runs, errors it swallowed, a GPU that is nearly full."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.frameworks.torch import cuda
from gpu_headroom.readings.snapshot import HostReading
from tests.trends.workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Iterator

GIB, MIB = 2**30, 2**20
KEEP = 'kept.append(torch.zeros({mib}, 2**18, device="cuda"))'


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """A workbench with a GPU of 4 GiB on which a list waits."""
    bench = Workbench(monkeypatch, 1)
    with bench.gpu(4 * GIB):
        bench.run('import torch\nkept, other = [torch.zeros(1, device="cuda")], {}', "setup")
        yield bench
        bench.run("kept.clear(); other.clear()", "clear")
    bench.close()


def test_growth_over_runs_is_named(bench: Workbench) -> None:
    """After the third run alike the cell has its growth, and a warning names who holds it."""
    bench.attach()
    for _ in range(2):
        bench.run(KEEP.format(mib=100), "cell")
    assert not bench.warnings("growth")
    bench.run(KEEP.format(mib=100), "cell")
    (warning,) = bench.warnings("growth")
    assert warning["message"]["params"] == {
        "growth_bytes": 100 * MIB,
        "runs": 3,
        "name": "kept",
    }
    cells = [event for event in bench.channel.events if event["type"] == "cell"]
    assert cells[-1]["growth"] == {
        "device_index": 0,
        "runs": 3,
        "bytes_per_run": 100 * MIB,
        "holder": "kept",
    }
    assert cells[-1]["run"] == 3


@pytest.mark.parametrize("sizes", [(40, 40, 40), (100, 100, 150), (100, 100, 0), (0, 100, 100)])
def test_other_runs_are_no_growth(bench: Workbench, sizes: tuple[int, ...]) -> None:
    """Less than 50 MiB, unlike sizes or a run between that kept nothing."""
    bench.attach()
    for mib in sizes:
        bench.run(KEEP.format(mib=mib), "cell")
    assert bench.session.ledger.runs("cell")[-1].growth is None
    assert not bench.warnings("growth")


def test_what_another_cell_frees_is_no_growth(bench: Workbench) -> None:
    """A cell that makes anew what was freed in between keeps much, and memory does not grow."""
    bench.attach()
    for _ in range(4):
        bench.run(KEEP.format(mib=100), "cell")
        bench.run("kept.clear()", "another")
    assert [run.growth for run in bench.session.ledger.runs("cell")] == [None] * 3
    assert not bench.warnings("growth")


def on_a_gpu_that(monkeypatch: pytest.MonkeyPatch, bench: Workbench, **is_so: Any) -> None:
    """Have PyTorch's properties of the GPU be others, and the host have 6 of 120 GiB left."""
    view = cuda.unused_view
    monkeypatch.setattr(cuda, "unused_view", lambda *a, **k: replace(view(*a, **k), **is_so))
    bench.session.sources.torch._unused.clear()
    bench.session.sources.torch._last.clear()
    reading = HostReading(GIB, 6 * GIB, 120 * GIB, 0, 6 * GIB, 120 * GIB)
    monkeypatch.setattr(bench.session.sources, "_host_now", lambda: reading)
    bench.session.sources._host_read_s = -1.0


def test_memory_beyond_the_gpu_is_said(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reserved more than the GPU has, as the driver of Windows allows: once for a cell."""
    on_a_gpu_that(monkeypatch, bench, total_bytes=GIB)
    bench.attach()
    bench.tick_s = 1
    bench.run("\n".join([KEEP.format(mib=512)] * 4), "cell")
    (warning,) = bench.warnings("beyond_gpu")
    assert 0 < warning["message"]["params"]["excess_bytes"] <= GIB
    assert not bench.warnings("host_low")


def test_a_host_that_runs_out_is_said(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU that shares its memory may hang the machine before PyTorch raises anything."""
    on_a_gpu_that(monkeypatch, bench, shared_with_host=True, total_bytes=120 * GIB)
    bench.attach()
    bench.tick_s = 1
    bench.run("\n".join([KEEP.format(mib=100)] * 3), "cell")
    (warning,) = bench.warnings("host_low")
    assert warning["message"]["params"] == {"left_bytes": 6 * GIB, "total_bytes": 120 * GIB}


CATCH = """
held = torch.zeros(2**28, dtype=torch.uint8, device="cuda")
for size in {sizes}:
    try:
        torch.zeros(size, 2**28, device="cuda")
    except torch.OutOfMemoryError:
        {then}
"""


@pytest.mark.parametrize(
    ("sizes", "then", "sentence"),
    [
        ("(8, 8, 1)", "pass", "2 of 3 attempts ran out"),
        (
            "[8, 8] + [1]",
            "pass",
            "Attempts that ran out of GPU memory, and whose errors were caught: 2.",
        ),
    ],
)
def test_caught_errors_are_counted(bench: Workbench, sizes: str, then: str, sentence: str) -> None:
    """Of how many attempts only where the cell says so; what filled the GPU at the first one."""
    bench.attach()
    bench.run(CATCH.format(sizes=sizes, then=then), "cell")
    (warning,) = bench.warnings("swallowed_oom")
    text, params = warning["message"]["text"], warning["message"]["params"]
    assert text.startswith(sentence)
    assert "None" not in text
    assert warning["cell_id"] == "cell"
    assert params["line"] == 5
    assert GIB // 4 <= params["in_use_bytes"] < GIB // 4 + MIB
    assert params["free_bytes"] < params["requested_bytes"] <= 8 * GIB
    bench.run("1", "another")
    assert len(bench.warnings("swallowed_oom")) == 1


def test_errors_that_a_library_catches_are_counted(bench: Workbench) -> None:
    """Of how many is known where a search says its number of trials."""
    bench.attach()
    bench.run(
        "class Study:\n"
        "    def optimize(self, objective, n_trials):\n"
        "        for n in range(n_trials):\n"
        "            try:\n"
        "                objective(n)\n"
        "            except torch.OutOfMemoryError:\n"
        "                pass",
        "library",
    )
    bench.run(
        "Study().optimize(lambda n: torch.zeros(2 * n, 2**28, device='cuda'), n_trials=4)", "cell"
    )
    (warning,) = bench.warnings("swallowed_oom")
    assert warning["message"]["text"].startswith("2 of 4 attempts ran out of GPU memory")


def test_an_error_that_came_out_is_not_swallowed(bench: Workbench) -> None:
    """The report of the failure says it already."""
    bench.attach()
    bench.run('torch.zeros(8, 2**28, device="cuda")', "cell")
    assert not bench.warnings("swallowed_oom")


def test_warnings_wait_for_a_page(bench: Workbench) -> None:
    """Without a lease nothing is sent; the page that comes is told."""
    for _ in range(3):
        bench.run(KEEP.format(mib=100), "cell")
    assert not [event for event in bench.channel.events if event["type"] == "warning"]
    bench.attach()
    assert len(bench.warnings("growth")) == 1


def test_retries_for_long_are_said(bench: Workbench) -> None:
    """An allocator that must empty its cache again and again is near its limit."""
    bench.attach()
    bench.tick_s, bench.rate_hz = 0.5, 2
    bench.run(
        "for step in range(40):\n"
        "    size = 2**21 * (1000 + 10 * step)\n"
        '    x = torch.empty(size, dtype=torch.uint8, device="cuda"); del x',
        "cell",
    )
    (warning,) = bench.warnings("retries")
    assert warning["message"]["params"]["count"] >= 3
