"""Trends and warnings in a real kernel and in real time (on a simulated GPU)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.live import SOURCES, attached

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live import Pack

MIB = 2**20
# The simulator is in the wheel only: the kernel is shown where it lies.
SETUP = f"""
import gpu_headroom, importlib.machinery, sys
sys.path.append({str(SOURCES)!r})
sys.meta_path.append(importlib.machinery.PathFinder)
simulation = gpu_headroom.simulate("4 GiB")
import time, torch
from torch import nn
model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(4)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
x = torch.randn(4096, 1024, device="cuda")
kept = []
def step():
    optimizer.zero_grad()
    found = model(x)
    found.sum().backward()
    optimizer.step()
    time.sleep(0.1)
    return found.detach()
"""
LEAK = "for number in range(2000):\n    kept.append(step())"


def test_a_leak_is_warned_of_before_it_fails(
    newest_python: Path, pack: Pack, tmp_path: Path
) -> None:
    """The warning comes while the cell runs; what it collected is named after it has failed."""
    with attached(newest_python, tmp_path, pack) as gpu:
        run = gpu.run(SETUP)
        assert run.status == "ok", run.outputs
        gpu.attach()
        since = gpu.now
        request = gpu.submit(LEAK, cell_id="leak")
        gpu.until(lambda: bool(gpu.events("warning", since)), timeout_s=90)
        (warning,) = gpu.events("warning", since)
        assert (warning["kind"], warning["cell_id"]) == ("filling_up", "leak")
        assert gpu.sample()["busy"] is True
        assert gpu.result(request, timeout_s=90).status == "error"
        gpu.until(lambda: len(gpu.events("warning", since)) > 1)
        last = gpu.events("warning", since)[-1]
        assert last["message"]["params"]["name"] == "kept"
        # A page that comes later gets the history.
        points = gpu.ask("history")["points"]
        assert max(item["in_use_bytes"] for item in points) > 2000 * MIB
        assert "leak" in {item["cell_id"] for item in gpu.ask("cells")["runs"]}
