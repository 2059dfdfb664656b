"""Edits of a training loop, in a live card: no button where they would train something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.kernels.test_after_oom import report_of

if TYPE_CHECKING:
    from tests.live import LiveKernel

CARD = "4GiB,meta"
START = """import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
X, Y = torch.randn(8192, 64), torch.randn(8192, 64)
"""
WIDE = "*[nn.GELU() for _ in range(20)]"
MODEL = f"model = nn.Sequential(nn.Linear(64, 16384), {WIDE}, nn.Linear(16384, 64)).cuda()\n"
DATA = """batch_size = 4096
loader = DataLoader(TensorDataset(X, Y), batch_size=batch_size, drop_last=True)
opt = optim.SGD(model.parameters(), lr=0.1)
"""
LOOP = """for x, y in loader:
    x, y = x.cuda(), y.cuda()
    opt.zero_grad()
    out = model(x)
    loss = F.mse_loss(out, y)
    loss.backward()
    opt.step()
"""


@pytest.fixture(scope="module")
def kernel(simulated: LiveKernel) -> LiveKernel:
    """A kernel of no other module, whose tensors have no values."""
    return simulated


def remedies(kernel: LiveKernel, *cells: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Run a notebook to its failure; return the remedies of its card, and what it consists of."""
    kernel.run("%reset -f")
    kernel.attach()
    kernel.free()
    sources = {f"cell-{n}": each for n, each in enumerate(cells, 1)}
    for cell_id, source in sources.items():
        run = kernel.run(source, cell_id=cell_id, stop_on_error=False)
    report = report_of(run)
    found = {each["id"]: {**each, "report": report["report_id"]} for each in report["remedies"]}
    return found, sources


def fixed(kernel: LiveKernel, remedy: dict[str, Any], sources: dict[str, str]) -> dict[str, Any]:
    """Ask for the edit behind a remedy, as its button does."""
    wish = {"report_id": remedy["report"], "remedy_id": remedy["id"]}
    found: dict[str, Any] = kernel.ask("fix", **wish, sources=sources)
    return found


def test_a_batch_in_parts_is_offered(kernel: LiveKernel) -> None:
    """Where all is known; and not once another cell reads the number of the batches."""
    found, sources = remedies(kernel, START + MODEL, DATA, LOOP)
    remedy = found["accumulate"]
    assert remedy["kind"] == "edit", remedy
    assert fixed(kernel, remedy, sources)["status"] == "ok"
    other = {**sources, "cell-9": "print(len(loader))"}
    refused = fixed(kernel, remedy, other)
    assert (refused["status"], refused["message"]["id"]) == ("changed", "gate.read")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("F.mse_loss(out, y)", 'F.mse_loss(out, y, reduction="sum")'),
        ("    opt.step()\n", "    opt.step()\n    if loss < 1:\n        break\n"),
        ("    loss.backward()", "    if loss > 9:\n        continue\n    loss.backward()"),
        ("    opt.step()\n", "    opt.step()\n    losses.append(loss.item())\n"),
        ("drop_last=True", "drop_last=False"),
        ("loader = ", "steps = 8192 // batch_size\nloader = "),
        ("lr=0.1)\n", "lr=0.1)\nonce = optim.lr_scheduler.OneCycleLR(opt, 1, 9 * len(loader))\n"),
        ("in loader:", "in iter_of(loader):"),
        ("nn.Linear(64, 16384),", "nn.Linear(64, 16384), nn.BatchNorm1d(16384),"),
        ("loader = ", "valid = DataLoader(X, batch_size=batch_size)\nloader = "),
    ],
)
def test_a_batch_in_parts_is_advice(kernel: LiveKernel, old: str, new: str) -> None:
    """Where the weights, or what is logged, would be others."""
    start = START + "losses = []\ndef iter_of(each):\n    yield from each\n"
    cells = [start + MODEL, DATA, LOOP]
    if "drop_last" in new:
        cells = [each.replace("8192", "8200") for each in cells]
    found, sources = remedies(kernel, *(each.replace(old, new) for each in cells))
    remedy = found["accumulate"]
    assert remedy["kind"] == "advice"
    assert remedy["reason"]["text"].startswith("No button")
    assert fixed(kernel, remedy, sources)["status"] != "ok"
