"""A newer Python than the others, without any framework: start, read, look, stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import LiveKernel, Pack

STATE = """(
    sorted(each.name for each in __import__('threading').enumerate()),
    [str(each) for each in __import__('warnings').filters],
    {name: len(found) for name, found in get_ipython().events.callbacks.items()},
)"""


@pytest.fixture
def newer(start_newer: Start, pack: Pack) -> LiveKernel:
    """A kernel with the whole helper in it, and a page attached."""
    kernel = start_newer()
    kernel.run("import sys; data = list(range(1000)); data")
    kernel.inject(pack)
    kernel.attach()
    return kernel


def test_is_newer(newer: LiveKernel) -> None:
    """Else these tests tell nothing new."""
    assert newer.value("tuple(sys.version_info[:2])") >= (3, 13)


def test_reads_and_sends(newer: LiveKernel) -> None:
    """Readings while a cell runs, its edges, and what a page asks for at rest."""
    since = newer.now
    with newer.busy_cell(cell_id="a") as cell:
        newer.await_event("sample", since, busy=True)
    assert cell.result().status == "ok"
    newer.await_event("cell", since, status="ok", cell_id="a")
    sample = newer.sample()
    assert sample["state"] == "no_framework"
    assert sample["host"]["rss_bytes"] > 0
    assert [run["cell_id"] for run in newer.ask("cells")["runs"]][-1:] == ["a"]


def test_walks_and_plans(newer: LiveKernel) -> None:
    """Names are walked through and a plan is made, though there is nothing on any GPU."""
    holders = newer.asked("holders")
    assert holders["devices"] == []
    plan = newer.asked("plan")
    assert plan["complete"] is True
    assert newer.cleanup()


def test_an_error_gets_its_report(newer: LiveKernel) -> None:
    """Recognised by what it says, and explained."""
    since = newer.now
    run = newer.run(
        "raise MemoryError('CUDA out of memory. Tried to allocate 2.00 GiB.')",
        stop_on_error=False,
    )
    assert "application/vnd.gpu-headroom.report+json" in run.outputs[-1][1]["data"]
    newer.await_event("oom", since, requested_bytes=2 * 2**30)


def test_leaves_nothing_behind(start_newer: Start, pack: Pack) -> None:
    """After `stop` the kernel is as it was, and the helper can come again."""
    kernel = start_newer()
    kernel.run("1")
    before = kernel.value(STATE)
    kernel.inject(pack)
    kernel.attach()
    kernel.asked("plan")
    kernel.run("import gpu_headroom; gpu_headroom.stop()")
    assert kernel.attach() is None
    assert kernel.value(STATE) == before
    kernel.run("gpu_headroom.start()")
    assert kernel.attach()["type"] == "attach"
