"""All raw results, kept beside the script: a run of a part replaces that part only."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.recovery.trial import Trial

if TYPE_CHECKING:
    from benchmarks.recovery.kernels import Environment

FILE = Path(__file__).with_name("results.jsonl")


class Results:
    """The trials by environment, scenario and method; the times of an idle machine by method."""

    def __init__(self) -> None:
        self.environments: dict[str, dict[str, Any]] = {}
        self.trials: dict[tuple[str, str, str], Trial] = {}
        self.times: dict[str, list[float]] = {}

    @classmethod
    def read(cls) -> Results:
        """Read what was measured so far."""
        results = cls()
        lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
        for line in lines:
            record = json.loads(line)
            kind = record.pop("type")
            if kind == "environment":
                results.environments[record["name"]] = record
            elif kind == "times":
                results.times[record["method"]] = record["ms"]
            else:
                results.enter(Trial(**record))
        return results

    def enter_environment(self, environment: Environment, *, real: bool) -> None:
        """Note what an environment consists of, and when it was measured."""
        self.environments[environment.name] = {
            "name": environment.name,
            "versions": environment.versions,
            "date": time.strftime("%Y-%m-%d"),
            "simulated": not real,
        }

    def enter(self, trial: Trial) -> None:
        """Keep a trial in place of an earlier one."""
        self.trials[trial.environment, trial.scenario, trial.method] = trial

    def save(self) -> None:
        """Write everything, one record a line."""
        records: list[dict[str, Any]] = [
            *({"type": "environment", **each} for each in self.environments.values()),
            *({"type": "times", "method": each, "ms": ms} for each, ms in self.times.items()),
            *({"type": "trial", **asdict(trial)} for _, trial in sorted(self.trials.items())),
        ]
        lines = (json.dumps(record, separators=(",", ":")) for record in records)
        FILE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
