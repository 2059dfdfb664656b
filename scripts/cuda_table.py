"""The table of what ran on which PyTorch: results in, a page out."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import TypedDict

from scripts import marked

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "python_helper" / "tests" / "cuda" / "results.json"
PAGE = RESULTS.with_suffix(".md")
TESTS = ROOT / "python_helper" / "tests"
BEGIN, END = "<!-- made by scripts/cuda_table.py -->\n", "<!-- end -->\n"
# What the supported series are run on, and the size of its wheel in MB.
VERSIONS = {
    "2.0.1": 620,
    "2.1.2": 671,
    "2.4.1": 797,
    "2.6.0": 767,
    "2.8.0": 889,
    "2.9.1": 900,
    "2.12.1": 532,
    "2.13.0": 527,
    "2.15.0": 539,
}
SIMULATED = "2.13.0"
"""The version that the simulated GPU is made for."""
COLUMNS = tuple(VERSIONS)
FEATURES = {
    "test_looking": "Looking makes no context; a fork",
    "test_ranks": "Ranks that a notebook forks",
    "test_without_gpu": "A CUDA build without a GPU",
    "test_readings": "Gauge, two GPUs, memory of others, memory fraction",
    "test_report": "The report after an error, clean-up cell, refusals by driver and cuBLAS",
    "test_causes": "The likeliest cause, a notebook for each",
    "test_holders": "Who holds it, places of allocation",
    "test_graphs": "What autograd graphs hold",
    "test_release": "Plan and release",
    "test_recovery": "Notebooks of the recovery benchmark",
    "test_allocators": "Expandable segments, split size, cudaMallocAsync, captured graphs",
    "test_simulator": "The simulated GPU beside the allocator",
    "test_stopped": "Errors that stop CUDA",
    "test_private_names": "Without each private name",
    "test_real_gpu": "Guards and figures of a real GPU (`gpu`)",
}


KINDS = ("gpu", "stub")
"""What played the GPU; a real one says more."""
RUNS = {"cuda": "CUDA", "python": "Python", "gpu": "GPU", "date": "last run"}


class Feature(TypedDict):
    """What became of the tests of one file."""

    passed: int
    left_out: dict[str, str]
    failed: list[str]


class Run(TypedDict):
    """One run of all of them; the day says how old it is."""

    date: str
    python: str
    cuda: str | None
    gpu: str | None
    """The name and driver of a real GPU."""
    features: dict[str, Feature]


Results = dict[str, dict[str, Run]]
"""By what played the GPU, `stub` or `gpu`, and by the version of PyTorch."""


def read() -> Results:
    """Return what ran so far."""
    results: Results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return results


def write(version: str, run: Run, *, gpu: bool = False) -> None:
    """Keep what a version's run gave, in place of an earlier one, and renew the page."""
    results = read()
    results.setdefault("gpu" if gpu else "stub", {})[version] = run
    text = json.dumps(results, indent=2, sort_keys=True, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


def renewed(page: str, results: Results) -> str:
    """Return the page with the table of these results."""
    return marked.renewed(page, BEGIN, END, table(results))


def table(results: Results) -> str:
    """Write the table, and below it what failed and what was left out."""
    lines = [
        _row("PyTorch", COLUMNS),
        _row("---", ["---"] * len(COLUMNS)),
        *(
            _row(what, [_cell(results, version, name) for version in COLUMNS])
            for name, what in FEATURES.items()
        ),
        *(
            _row(what, [_of_run(results, version, key) for version in COLUMNS])
            for key, what in RUNS.items()
            if key != "gpu" or "gpu" in results
        ),
    ]
    return "\n".join([*lines, "", *_exceptions(results)]).rstrip() + "\n"


def _row(first: str, cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join([first, *cells])} |"


def _cell(results: Results, version: str, name: str) -> str:
    for kind in KINDS:
        run = results.get(kind, {}).get(version)
        feature = run["features"].get(name) if run else None
        if feature and feature["passed"]:
            return f"{kind}, not all" if feature["failed"] else kind
        if feature and feature["failed"]:
            return "fails"
    return "declared"


def _of_run(results: Results, version: str, key: str) -> str:
    runs = (results.get(kind, {}).get(version) for kind in KINDS)
    run = next((candidate for candidate in runs if candidate), None)
    return "" if run is None else str(dict(run)[key] or "")


def _exceptions(results: Results) -> list[str]:
    lines = []
    for version, kind in product(COLUMNS, KINDS):
        run = results.get(kind, {}).get(version)
        where = f"{version} on a GPU" if kind == "gpu" else version
        for name, feature in sorted(run["features"].items()) if run else ():
            failed = [f"`{text}`" for text in feature["failed"]]
            if failed:
                lines.append(f"* {where}, {FEATURES[name]}: {', '.join(failed)} failed.")
            reasons = sorted(set(feature["left_out"].values()))
            lines += [f"* {where}, {FEATURES[name]}: left out, {text}." for text in reasons]
    return lines
