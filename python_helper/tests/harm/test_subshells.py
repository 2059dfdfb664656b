"""Two cells at once: a notebook's, and one of a console that has a shell of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import LiveKernel, Pack

FAIL = "torch.empty(2**40, device='cuda')"


@pytest.fixture
def kernel(start_newest: Start, pack: Pack) -> LiveKernel:
    """A kernel with a simulated GPU and a page; of the generation that has subshells."""
    process = start_newest(installed=True, GPU_HEADROOM_SIMULATE="4GiB")
    process.inject(pack)
    process.attach()
    assert process.run("import torch; x = torch.ones(2**20, device='cuda')").status == "ok"
    return process


def test_each_cell_is_itself(kernel: LiveKernel) -> None:
    """The one that fails gets its report and its end, the other goes on and comes to its own."""
    since = kernel.now
    subshell = kernel.create_subshell()
    with kernel.busy_cell(subshell_id=subshell, cell_id="console") as cell:
        run = kernel.run(FAIL, cell_id="notebook")
        assert [kind for kind, _ in run.outputs] == ["error", "display_data"]
        kernel.await_event("cell", since, cell_id="notebook", status="oom")
        assert [event["cell_id"] for event in kernel.events("oom", since)] == ["notebook"]
        assert kernel.sample()["busy"] is True
    assert cell.result().status == "ok"
    kernel.until(lambda: kernel.sample()["busy"] is False)
    assert len(kernel.events("oom", since)) == 1


def test_nothing_is_freed_beside_a_computation(kernel: LiveKernel) -> None:
    """The notebook is idle, the console computes: a release waits for it."""
    subshell = kernel.create_subshell()
    with kernel.busy_cell(subshell_id=subshell) as cell:
        since = kernel.now
        reply = kernel.ask("release", items=None, confirmed=[], report_id=None)
        assert reply["status"] == "waiting"
        run = kernel.run("x.sum()", cell_id="notebook")
        assert run.status == "ok"
        assert kernel.events("released", since) == []
    assert cell.result().status == "ok"
    kernel.await_event("released", since, release_id=reply["release_id"])


def test_a_magic_frees_nothing_beside_a_computation(kernel: LiveKernel) -> None:
    """Nor does a call in a cell, and it says why."""
    subshell = kernel.create_subshell()
    with kernel.busy_cell(subshell_id=subshell) as cell:
        run = kernel.run("import gpu_headroom; print(gpu_headroom.free())")
        assert run.text.startswith("Another cell is running")
    assert cell.result().status == "ok"
