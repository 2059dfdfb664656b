"""The simulated card in a real kernel, where each cell is a call of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gpu_headroom
import pytest
from jupyter_client.manager import start_new_kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = str(Path(next(iter(gpu_headroom.__path__))).parent)


class Cells:
    """Runs cells in one kernel, one after the other."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, code: str) -> tuple[str, list[str]]:
        """Return what a cell printed, and its traceback where it failed."""
        printed: list[str] = []
        traceback: list[str] = []

        def collect(message: Any) -> None:
            content = message["content"]
            if message["msg_type"] == "stream":
                printed.append(content["text"])
            elif message["msg_type"] == "error":
                traceback.extend(content["traceback"])

        self._client.execute_interactive(code, output_hook=collect, timeout=60)
        return "".join(printed), traceback


@pytest.fixture(scope="module")
def cells() -> Iterator[Cells]:
    """A kernel with a simulated card of 1 GiB that computes values."""
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        started = Cells(client)
        printed, traceback = started.run(
            f"import sys; sys.path.insert(0, {SOURCE!r})\n"
            "from gpu_headroom.simulate import simulate\n"
            "simulation = simulate('1 GiB', compute='cpu')\n"
            "import torch\n"
            "from torch import nn\n"
            "model = nn.Linear(256, 256).cuda()\n"
            "print(sys.executable)"
        )
        assert traceback == []
        assert printed.strip() == sys.executable
        yield started
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_the_card_lasts_from_cell_to_cell(cells: Cells) -> None:
    """What one cell put on the card is there in the next, and can be trained."""
    cells.run("optimizer = torch.optim.AdamW(model.parameters())")
    printed, traceback = cells.run(
        "loss = model(torch.ones(4, 256, device='cuda')).square().mean()\n"
        "loss.backward(); optimizer.step(); print(loss.device, loss.item() > 0)"
    )
    assert traceback == []
    assert printed.strip() == "cuda:0 True"


def test_a_cell_that_awaits_and_a_thread_see_the_card(cells: Cells) -> None:
    """The card is there before and after `await`, and in a thread pool."""
    printed, traceback = cells.run(
        "import asyncio\n"
        "before = torch.ones(2, device='cuda')\n"
        "await asyncio.sleep(0.01)\n"
        "print((before + torch.ones(2, device='cuda')).tolist())\n"
        "print(await asyncio.to_thread(lambda: torch.ones(1, device='cuda').device))"
    )
    assert traceback == []
    assert printed.split("\n")[:2] == ["[2.0, 2.0]", "cuda:0"]


def test_a_cell_runs_out_of_memory_and_the_next_one_runs(cells: Cells) -> None:
    """The traceback shows one frame of the simulator at most, the last; the kernel goes on."""
    _, traceback = cells.run("x = torch.zeros(2**18, 256, device='cuda')\ny = model(x) + model(x)")
    text = "\n".join(traceback)
    assert "OutOfMemoryError" in text
    assert "CUDA out of memory. Tried to allocate 256.00 MiB." in text
    assert text.count("gpu_headroom/simulate") <= 1
    assert "failed resolving arguments" not in text
    printed, traceback = cells.run("del x\nprint(torch.cuda.memory_stats()['num_ooms'])")
    assert (printed.strip(), traceback) == ("1", [])


def test_stopping_in_a_later_cell_works(cells: Cells) -> None:
    """`stop` in another cell than `simulate` leaves plain PyTorch."""
    printed, traceback = cells.run(
        "simulation.stop()\n"
        "print(torch.cuda.is_available(), torch._C._len_torch_function_stack(),"
        " torch.ones(2).sum().item())"
    )
    assert (printed.strip(), traceback) == ("False 0 2.0", [])
