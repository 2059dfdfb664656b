"""`results.md`, which has the comparison: results in, a table out."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypedDict

from benchmarks.fidelity.exceptions import CAUSES, EXCEPTIONS
from benchmarks.fidelity.measured import TOLERANCE, Comparison, Measured
from benchmarks.fidelity.programs import FAMILIES, PROGRAMS
from benchmarks.measure import table
from scripts import marked

RESULTS = Path(__file__).with_name("results.json")
PAGE = Path(__file__).with_name("results.md")
BEGIN, END = "<!-- made by benchmarks/fidelity/page.py -->\n", "<!-- end -->\n"
_HEAD = ("program", "peak in use", "peak reserved", "simulator", "runs out")
_MIB = 2**20
_UNKNOWN = "Not explained yet:"


class Results(TypedDict):
    """One run of all programs."""

    date: str
    torch: str
    programs: dict[str, Comparison]


def read() -> Results:
    """Return what was measured last."""
    data: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    programs = {
        name: Comparison(*(Measured.read(pair[side]) for side in ("allocator", "simulator")))
        for name, pair in data["programs"].items()
    }
    return {"date": data["date"], "torch": data["torch"], "programs": programs}


def write(results: Results) -> None:
    """Keep what was measured, and renew the page."""
    lines = (
        f"  {json.dumps(name)}: {json.dumps(asdict(comparison), ensure_ascii=False)}"
        for name, comparison in results["programs"].items()
    )
    head = json.dumps({"date": results["date"], "torch": results["torch"]})[1:-1]
    text = f'{{{head}, "programs": {{\n' + ",\n".join(lines) + "\n}}\n"
    RESULTS.write_text(text, encoding="utf-8")
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


def renewed(page: str, results: Results) -> str:
    """Return the page with these results."""
    return marked.renewed(page, BEGIN, END, _section(results))


def _section(results: Results) -> str:
    programs = results["programs"]
    lines = [f"PyTorch {results['torch']}, {results['date']}. {summary(programs)}"]
    for family in FAMILIES:
        rows = [_cells(program.name, programs[program.name]) for program in family.programs]
        lines += ["", f"### {family.title}", "", table(_HEAD, rows)]
    return "\n".join([*lines, *_exceptions(programs)]) + "\n"


def _exceptions(programs: dict[str, Comparison]) -> list[str]:
    """Return a line for each cause, with the programs that it makes differ."""
    by_cause: dict[str, list[str]] = {cause: [] for cause in [*CAUSES, _UNKNOWN]}
    for name, comparison in programs.items():
        if not comparison.is_equal:
            by_cause[EXCEPTIONS.get(name, _UNKNOWN)].append(PROGRAMS[name].title)
    lines = [f"* {cause} *{'; '.join(titles)}.*" for cause, titles in by_cause.items() if titles]
    return ["", "### Why some differ", "", *lines] if lines else []


def summary(programs: dict[str, Comparison]) -> str:
    """Return in a sentence how many programs are equal, and how many are close."""
    pairs = programs.values()
    equal, close = sum(pair.is_equal for pair in pairs), sum(pair.is_close for pair in pairs)
    same = sum(pair.allocates_alike for pair in pairs)
    return (
        f"Of {len(pairs)} programs {equal} are equal to the byte, and {close} are within "
        f"{TOLERANCE:.0%}; in {same} the number of allocations is the same."
    )


def _cells(name: str, comparison: Comparison) -> list[str]:
    return [
        PROGRAMS[name].title,
        _bytes(comparison.allocator, "peak_in_use"),
        _bytes(comparison.allocator, "peak_reserved"),
        _difference(comparison),
        _end(comparison),
    ]


def _bytes(measured: Measured, name: str) -> str:
    """Return the sizes on each GPU in MiB."""
    sizes = [f"{getattr(gpu, name) / _MIB:,.1f}" for gpu in measured.gpus]
    return " and ".join(sizes) + " MiB" if sizes else "not measured"


def _difference(comparison: Comparison) -> str:
    if not comparison.simulator.gpus:
        return "**not measured**"
    if comparison.in_use == comparison.reserved == 0:
        return "equal"
    text = f"{_percent(comparison.in_use)}, reserved {_percent(comparison.reserved)}"
    return text if comparison.is_close or not comparison.ends_alike else f"**{text}**"


def _percent(part: float) -> str:
    return "equal" if part == 0 else f"{100 * part:+.2f} %".replace("-", "−")


def _end(comparison: Comparison) -> str:
    """Say where the allocator refused memory, and whether the simulator did there too."""
    allocator, simulator = comparison.allocator, comparison.simulator
    if not comparison.ends_alike:
        ends = [f"{side.end}" for side in (allocator, simulator)]
        return f"**{ends[0]}; simulator: {ends[1]}**"
    return allocator.end if allocator.refusals or allocator.failure else ""
