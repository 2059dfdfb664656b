"""Mixed precision tried on a GPU before Ampere: `float16` with a scaler, and what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.dry_runs.notebooks import write

pytest.importorskip("torch")
pytest.importorskip("IPython")

HELPER = Path(__file__).parents[2]
START = "import torch\nfrom torch import nn\nbatch_size = 131072"
MODEL = """layers = [layer for _ in range(12) for layer in (nn.Linear(1024, 1024), nn.GELU())]
model = nn.Sequential(*layers).cuda()
optimizer = torch.optim.AdamW(model.parameters())"""
TRAIN = """for step in range(20000):
    x = torch.randn(batch_size, 1024, device='cuda')
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()"""
EDITED = """scaler = torch.amp.GradScaler("cuda")
for step in range(20000):
    x = torch.randn(batch_size, 1024, device='cuda')
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(x).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()"""


def found(path: Path, gpu: str) -> Any:
    """Run a notebook dry by the command."""
    done = subprocess.run(
        [sys.executable, "-m", "gpu_headroom", "dry-run", path, "--gpu", gpu, "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HELPER)},
        timeout=240,
        check=True,
    )
    return json.loads(done.stdout)


def tried(path: Path, gpu: str) -> Any:
    """Return what came of mixed precision there."""
    tries = found(path, gpu)["tries"]
    return next(each for each in tries if each["remedy_id"] == "autocast")


def test_what_was_tried_is_what_the_edited_program_needs(tmp_path: Path) -> None:
    """It steps, so its loop of many rounds ends in time, and needs what the try says."""
    before = write(tmp_path / "a.ipynb", START, MODEL, TRAIN)
    on_t4 = tried(before, "T4")
    assert on_t4["title"]["text"] == "Mixed precision in `float16` for the forward pass"
    assert (on_t4["fits"], on_t4["edits"]) == (True, [])
    assert on_t4["message"]["text"].endswith("that it computes the same is not proven")
    after = found(write(tmp_path / "b.ipynb", START, MODEL, EDITED), "T4")
    assert after["outcome"] == "done"
    assert after["needed_bytes"] == on_t4["peak_bytes"]
    assert after["fits"][0]["fits"]


def test_as_large_a_gpu_since_ampere_has_bfloat16(tmp_path: Path) -> None:
    """One of whose name nothing is known counts as an A100."""
    before = write(tmp_path / "a.ipynb", START, MODEL, TRAIN)
    assert "`bfloat16`" in tried(before, "14912 MiB")["title"]["text"]
