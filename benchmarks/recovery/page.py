"""`results.md`, made from the results."""

from __future__ import annotations

import statistics
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import table
from benchmarks.recovery.methods import METHODS
from benchmarks.recovery.scenarios import PRELUDE_VARIABLES, SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.recovery.methods import Method
    from benchmarks.recovery.results import Results
    from benchmarks.recovery.trial import Trial

FILE = Path(__file__).with_name("results.md")
GOAL = 0.99
_NEEDS = {scenario.id: scenario.need for scenario in SCENARIOS}
_HEAD = (
    "method",
    "id",
    "median",
    "≥ 99 %",
    "kept errors ≥ 99 %",
    "variables lost",
    "ended",
    "`%debug` lost",
    "`Out` broken",
    "ms",
)

TEXT = """# What comes back after an out-of-memory error

Made by `make recovery`; do not edit. {card}

{scenarios} notebooks run out of GPU memory, are interrupted or leave memory behind in another
way; each way to get it back is tried on each of them, in a fresh kernel every time
({trials} in all). The notebooks are in `benchmarks/recovery/scenarios/`, the ways in
`benchmarks/recovery/methods.py`, every single result in `benchmarks/recovery/results.jsonl`.

## What the numbers mean

* **The user's variables** are all names that the cells bound at notebook level, in the failing cell
  before it failed, too. Each notebook lists them with what they hold; the script checks both with
  a walk of its own, which is no part of GPU Headroom.
* **What a restart would recover** is what is in use after the last cell, less what those variables
  hold and less what PyTorch keeps for itself (cuBLAS's workspace). An error that the user kept in
  a variable is theirs; the frames that its traceback keeps are not data of theirs.
* **Share**: how much of that is gone afterwards. To delete a variable is no merit: its memory does
  not count, neither before nor after. *Median* is over the notebooks where a restart helps.
* **≥ 99 %**: notebooks in which that much came back. The {release} in this column need nobody's
  consent. In the {consent} of *kept errors* a variable, a generator, a task or a log buffer keeps
  an error; GPU Headroom asks before it drops such a traceback, which is the second row.
  In {nothing} more notebooks there is nothing to get: they count for what is lost only.
* **Variables lost** are gone or hold another value, summed over all notebooks. **Ended** counts
  notebooks whose suspended generator, task, thread or the like did not survive, or lost its name.
* **`%debug` lost** counts notebooks whose error can no longer be looked into.
  **`Out` broken**: `_` and `Out` no longer take the next displayed value.
* **ms**: median of runs of the notebook `function`, one after the other, from the click or
  Shift+Enter to the end; empty where it was not measured.
* A date is that of the latest run, which may be of a part: what was not measured then, times
  included, stands as before.
* **Kernel restart** is the measure, so its share is 100 % by definition; its time is that of a
  kernel until PyTorch is imported again, before any cell has run again.

{tables}

## Notebook by notebook

{newest}. Percent that came back; · where there was nothing to get, † where a variable was lost or
something was ended.

{matrix}
"""


def write(results: Results) -> None:
    """Write the page."""
    simulated = all(each["simulated"] for each in results.environments.values())
    needs = Counter(str(each.need) for each in SCENARIOS)
    newest = next(iter(results.environments))
    text = TEXT.format(
        card="Measured on a **simulated GPU**." if simulated else "Measured on a real GPU.",
        scenarios=len(SCENARIOS),
        trials=len(results.trials),
        tables="\n\n".join(_environment(results, name) for name in results.environments),
        newest=_versions(results, newest),
        matrix=_matrix(results, newest),
        **needs,
    )
    FILE.write_text(text, encoding="utf-8")


def _environment(results: Results, name: str) -> str:
    rows = list(_rows(results, name))
    date = results.environments[name]["date"]
    return f"## {_versions(results, name)}\n\n{date}\n\n{table(_HEAD, rows)}"


def _versions(results: Results, name: str) -> str:
    versions = results.environments[name]["versions"]
    return ", ".join(f"{package} {version}" for package, version in versions.items())


def _rows(results: Results, environment: str) -> Iterator[Sequence[str]]:
    for method in METHODS:
        trials = _trials(results, environment, method)
        if trials:
            times = results.times.get(method.id, []) if environment == _newest(results) else []
            yield _row(method, trials, times)
    total = len(PRELUDE_VARIABLES) * len(SCENARIOS) + sum(len(s.variables) for s in SCENARIOS)
    running = sum(1 for scenario in SCENARIOS if scenario.alive)
    times = results.times.get("restart", []) if environment == _newest(results) else []
    yield (
        "kernel restart",
        "`restart`",
        "100 %",
        *("all", "all", f"all {total}", f"all {running}", "all", "0"),
        _milliseconds(times),
    )


def _newest(results: Results) -> str:
    return next(iter(results.environments))


def _row(method: Method, trials: Sequence[Trial], times: Sequence[float]) -> Sequence[str]:
    shares = [trial.share for trial in trials if trial.share is not None]
    errors = [trial.debug_lost for trial in trials if trial.debug_lost is not None]
    return (
        method.title,
        f"`{method.id}`",
        f"{100 * statistics.median(shares):.0f} %",
        _reached(trials, "release"),
        _reached(trials, "consent"),
        str(sum(len(trial.lost) for trial in trials)),
        str(sum(not trial.alive for trial in trials)),
        f"{sum(errors)} of {len(errors)}" if errors else "",
        str(sum(not trial.outputs_work for trial in trials)),
        _milliseconds(times),
    )


def _milliseconds(times: Sequence[float]) -> str:
    return f"{statistics.median(times):.0f}" if times else ""


def _reached(trials: Sequence[Trial], need: str) -> str:
    group = [trial for trial in trials if _NEEDS[trial.scenario] == need]
    return f"{sum((trial.share or 0) >= GOAL for trial in group)} of {len(group)}" if group else ""


def _trials(results: Results, environment: str, method: Method) -> list[Trial]:
    keys = ((environment, scenario.id, method.id) for scenario in SCENARIOS)
    return [results.trials[key] for key in keys if key in results.trials]


def _matrix(results: Results, environment: str) -> str:
    methods = [method for method in METHODS if _trials(results, environment, method)]
    rows = []
    for scenario in SCENARIOS:
        trials = (results.trials.get((environment, scenario.id, method.id)) for method in methods)
        rows.append([f"`{scenario.id}` {scenario.title}", *map(_cell, trials)])
    return table(["notebook", *(method.id for method in methods)], rows)


def _cell(trial: Trial | None) -> str:
    if trial is None:
        return ""
    mark = "" if trial.harmless else "†"
    # Rounded down: what is short of 100 must not look like it.
    return f"{'·' if trial.share is None else int(100 * trial.share + 0.01)}{mark}"
