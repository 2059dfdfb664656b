"""From an allocation in the kernel to the pixel, in real pages and a real Chromium."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Row, times_row

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
WHAT = "allocation → pixel at 10 Hz, a cell that computes"
GOAL_MS = 150
ON_COLAB = "allocation → pixel in an output, a cell that computes (stand-in for Colab's page)"
GOAL_ON_COLAB_MS = 350
RESTART = "restart of the kernel → its gauge in an output says so (the same page)"
GOAL_RESTART_MS = 20_000


def rows(folder: Path) -> Iterator[Row]:
    """Measure in the browser; where there is none to be had, say so."""
    in_lab = measured("benchmarks", folder)
    yield _row(WHAT, in_lab, GOAL_MS)
    on_colab = measured("colab-benchmarks", folder) or {}
    yield _row(ON_COLAB, on_colab.get("pixels"), GOAL_ON_COLAB_MS)
    yield _row(RESTART, on_colab.get("restarts"), GOAL_RESTART_MS)


def _row(what: str, latencies_ms: list[float] | None, goal_ms: float) -> Row:
    if latencies_ms is None:
        return Row(what, f"≤ {goal_ms:g} ms", "not measured")
    return times_row(what, latencies_ms, goal_ms)


def measured(app: str, folder: Path, **variables: str) -> Any:
    """Return what the benchmark of an application of the browser tests wrote; `None`: it failed.

    `variables` are of its environment.
    """
    result = folder / f"{app}.json"
    environment = {
        **os.environ,
        "GPU_HEADROOM_APP": app,
        "GPU_HEADROOM_LATENCIES": str(result),
        **variables,
    }
    process = play(environment)
    if process.returncode != 0:
        print(process.stdout[-2000:])
        return None
    return json.loads(result.read_text(encoding="utf-8"))


def play(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the browser tests of the application that the environment names."""
    command = ["node", "node_modules/@playwright/test/cli.js", "test"]
    folder = ROOT / "ui-tests"
    return subprocess.run(
        command, check=False, cwd=folder, env=environment, capture_output=True, text=True
    )
