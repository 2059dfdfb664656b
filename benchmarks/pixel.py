"""From an allocation in the kernel to the pixel, in a real JupyterLab and a real Chromium."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Row, times_row

if TYPE_CHECKING:
    from collections.abc import Iterator

UI_TESTS = Path(__file__).parents[1] / "ui-tests"
WHAT = "allocation → pixel at 10 Hz, a cell that computes"
GOAL_MS = 150


def rows(folder: Path) -> Iterator[Row]:
    """Measure in the browser; where there is none to be had, say so."""
    result = folder / "latencies.json"
    environment = {
        **os.environ,
        "GPU_HEADROOM_APP": "benchmarks",
        "GPU_HEADROOM_LATENCIES": str(result),
    }
    command = ["node", "node_modules/@playwright/test/cli.js", "test"]
    ran = subprocess.run(
        command, check=False, cwd=UI_TESTS, env=environment, capture_output=True, text=True
    )
    if ran.returncode != 0:
        print(ran.stdout[-2000:])
        yield Row(WHAT, f"≤ {GOAL_MS} ms", "not measured")
        return
    yield times_row(WHAT, json.loads(result.read_text(encoding="utf-8")), GOAL_MS)
