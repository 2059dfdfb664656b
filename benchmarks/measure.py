"""Rows of a table, and the arithmetic behind them."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.live import LiveKernel


@dataclass(frozen=True)
class Row:
    """What was measured, against what was promised."""

    what: str
    goal: str
    measured: str
    holds: bool | None = None
    """None: there is no goal, or it cannot be judged here."""

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The row as text."""
        verdict = {True: "yes", False: "**no**", None: ""}[self.holds]
        return self.what, self.goal, self.measured, verdict


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows of cells under their heads as a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def spread(values: Sequence[float], unit: str = "ms", digits: int = 0) -> str:
    """Describe measured times by their median, their 95th percentile and how many they are."""
    middle, high = statistics.median(values), percentile(values, 0.95)
    return f"{middle:.{digits}f} {unit} (p95 {high:.{digits}f}, n = {len(values)})"


def times_row(what: str, values_ms: Sequence[float], goal_ms: float | None = None) -> Row:
    """Return the row of times whose 95th percentile has a goal, in milliseconds."""
    goal = "" if goal_ms is None else f"≤ {goal_ms:g} ms"
    holds = None if goal_ms is None else percentile(values_ms, 0.95) <= goal_ms
    return Row(what, goal, spread(values_ms), holds)


def figures(kernel: LiveKernel, code: str) -> Any:
    """Run a cell that takes minutes, and return what it printed last: CUDA warns before."""
    run = kernel.result(kernel.submit(code), timeout_s=3600)
    assert run.status == "ok", run.reply
    return json.loads(run.text.strip().splitlines()[-1])
