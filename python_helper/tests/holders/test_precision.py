"""What autocast would save, beside what it saves on a simulated GPU."""

from __future__ import annotations

import pytest
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.survey import survey
from gpu_simulator import simulate
from tests.notebook import open_notebook

BASE = """
import torch
from torch import nn
from torch.nn import functional as F
net = {net}.cuda()
x = torch.randn({shape}, device="cuda")
before = torch.cuda.memory_allocated()
"""
FORWARD = "out = net(x)"
UNDER_AUTOCAST = """
del out
with torch.autocast("cuda", dtype=torch.bfloat16):
    out = net(x)
"""
MEASURE = "kept = torch.cuda.memory_allocated() - before"
NETS = {
    "linear": ("nn.Sequential(*[nn.Linear(512, 512), nn.GELU()] * 4)", "4096, 512"),
    "norms between": (
        "nn.Sequential(*[nn.LayerNorm(512), nn.Linear(512, 512), nn.GELU()] * 3)",
        "4096, 512",
    ),
    "convolutions": (
        "nn.Sequential(*[nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()] * 3)",
        "16, 16, 64, 64",
    ),
    "transformer": (
        "nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True, dropout=0.0)",
        "16, 128, 256",
    ),
    "weights": (
        "nn.Sequential(nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 2048))",
        "64, 2048",
    ),
}


@pytest.mark.parametrize("name", NETS)
def test_says_what_autocast_saves(name: str) -> None:
    """Within a tenth of what the forward pass keeps, also where it saves nothing."""
    net, shape = NETS[name]
    with simulate("4 GiB"), open_notebook() as notebook:
        for code in (BASE.format(net=net, shape=shape), FORWARD, MEASURE):
            assert notebook.run(code).success
        total = notebook.shell.user_ns["kept"]
        overview = survey(notebook.shell, Turn(30.0), for_account=True)
        assert overview is not None
        for code in (UNDER_AUTOCAST, MEASURE):
            assert notebook.run(code).success
        saved = total - notebook.shell.user_ns["kept"]
        assert overview.halves.get(0, 0) == pytest.approx(saved, abs=0.1 * total)
