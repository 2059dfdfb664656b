"""The cell that starts CUDA has an observer, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.programs import completed

if TYPE_CHECKING:
    from tests.conftest import Start
    from tests.live import LiveKernel, Pack

IS_QUEUED = "any('gpu_headroom' in call.__module__ for call, _ in torch.cuda._queued_calls)"
FAIL = "chunks = [torch.empty(2**28, dtype=torch.uint8, device='cuda') for _ in range(99)]"


@pytest.fixture
def kernel(start_newest: Start, pack: Pack) -> LiveKernel:
    """A kernel with a simulated GPU that is not started yet."""
    kernel = start_newest(installed=True, GPU_HEADROOM_SIMULATE="4GiB")
    kernel.inject(pack)
    kernel.attach()
    kernel.run("import torch")
    kernel.until(lambda: kernel.value(IS_QUEUED))
    assert kernel.value("torch.cuda.is_initialized()") is False
    return kernel


def test_what_fails_at_once_was_seen_by_the_allocator(kernel: LiveKernel) -> None:
    """The numbers are those of the failing request: nothing had come back then."""
    report = completed(kernel, kernel.run(FAIL, stop_on_error=False))
    sizes = {entry["label"]["id"]: entry["bytes"] for entry in report["details"]}
    assert sizes["detail.largest_block"] is not None
    # The list had no name yet: it went with the error, and is told all the same.
    assert report["in_use_bytes"] > 3 * 2**30
    parts = {entry["kind"]: entry["bytes"] for entry in report["parts"]}
    assert parts["temporaries"] == report["in_use_bytes"]


@pytest.mark.parametrize("forked", [True, False])
def test_a_forked_child_starts_without_us(kernel: LiveKernel, *, forked: bool) -> None:
    """Where CUDA starts in a child that was forked before, nothing is attached there."""
    start = "[call() for call, _ in torch.cuda._queued_calls if 'gpu_headroom' in call.__module__]"
    kernel.run(
        "import os\nfrom gpu_headroom.frameworks.torch.observer import Observer\ncalls = []\n"
        "Observer.attach = lambda self: calls.append(1)\n"
        + (
            f"if (pid := os.fork()) == 0:\n    {start}\n    os._exit(len(calls))\n"
            "calls = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])]"
            if forked
            else start
        )
    )
    assert kernel.value("calls") == [0 if forked else 1]
