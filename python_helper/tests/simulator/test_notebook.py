"""The simulated GPU in a real kernel, where each cell is a call of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.live import LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def kernel(newest_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel with a simulated GPU of 1 GiB that computes values."""
    folder = tmp_path_factory.mktemp("notebook")
    with LiveKernel(newest_python, folder, installed=True) as process:
        run = process.run(
            "from gpu_simulator import simulate\n"
            "simulation = simulate('1 GiB', compute='cpu')\n"
            "import torch\n"
            "from torch import nn\n"
            "model = nn.Linear(256, 256).cuda()"
        )
        assert run.status == "ok", run.reply
        yield process


def test_a_cell_that_awaits_and_a_thread_see_the_gpu(kernel: LiveKernel) -> None:
    """The GPU is there before and after `await`, and in a thread pool."""
    run = kernel.run(
        "import asyncio\n"
        "before = torch.ones(2, device='cuda')\n"
        "await asyncio.sleep(0.01)\n"
        "print((before + torch.ones(2, device='cuda')).tolist())\n"
        "print(await asyncio.to_thread(lambda: torch.ones(1, device='cuda').device))"
    )
    assert run.status == "ok"
    assert run.text.split("\n")[:2] == ["[2.0, 2.0]", "cuda:0"]
