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
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    programs = {
        name: Comparison(*(Measured.read(each[side]) for side in ("allocator", "simulator")))
        for name, each in found["programs"].items()
    }
    return {"date": found["date"], "torch": found["torch"], "programs": programs}


def write(results: Results) -> None:
    """Keep what was measured, and renew the page."""
    lines = (
        f"  {json.dumps(name)}: {json.dumps(asdict(each), ensure_ascii=False)}"
        for name, each in results["programs"].items()
    )
    head = json.dumps({"date": results["date"], "torch": results["torch"]})[1:-1]
    text = f'{{{head}, "programs": {{\n' + ",\n".join(lines) + "\n}}\n"
    RESULTS.write_text(text, encoding="utf-8")
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


def renewed(page: str, results: Results) -> str:
    """Return the page with these results."""
    return marked.renewed(page, BEGIN, END, _told(results))


def _told(results: Results) -> str:
    programs = results["programs"]
    lines = [f"PyTorch {results['torch']}, {results['date']}. {summary(programs)}"]
    for family in FAMILIES:
        rows = [_cells(each.name, programs[each.name]) for each in family.programs]
        lines += ["", f"### {family.title}", "", table(_HEAD, rows)]
    return "\n".join([*lines, *_exceptions(programs)]) + "\n"


def _exceptions(programs: dict[str, Comparison]) -> list[str]:
    """Return a line for each cause, with the programs that it makes differ."""
    by_cause: dict[str, list[str]] = {cause: [] for cause in [*CAUSES, _UNKNOWN]}
    for name, each in programs.items():
        if not each.is_equal:
            by_cause[EXCEPTIONS.get(name, _UNKNOWN)].append(PROGRAMS[name].title)
    lines = [f"* {cause} *{'; '.join(titles)}.*" for cause, titles in by_cause.items() if titles]
    return ["", "### Why some differ", "", *lines] if lines else []


def summary(programs: dict[str, Comparison]) -> str:
    """Return in a sentence how many programs are equal, and how many are close."""
    every = programs.values()
    equal, close = sum(each.is_equal for each in every), sum(each.is_close for each in every)
    same = sum(each.allocates_alike for each in every)
    return (
        f"Of {len(every)} programs {equal} are equal to the byte, and {close} are within "
        f"{TOLERANCE:.0%}; in {same} the number of allocations is the same."
    )


def _cells(name: str, compared: Comparison) -> list[str]:
    return [
        PROGRAMS[name].title,
        _bytes(compared.allocator, "peak_in_use"),
        _bytes(compared.allocator, "peak_reserved"),
        _difference(compared),
        _end(compared),
    ]


def _bytes(measured: Measured, name: str) -> str:
    """Return the sizes on each GPU in MiB."""
    sizes = [f"{getattr(each, name) / _MIB:,.1f}" for each in measured.gpus]
    return " and ".join(sizes) + " MiB" if sizes else "not measured"


def _difference(compared: Comparison) -> str:
    if not compared.simulator.gpus:
        return "**not measured**"
    if compared.in_use == compared.reserved == 0:
        return "equal"
    text = f"{_percent(compared.in_use)}, reserved {_percent(compared.reserved)}"
    return text if compared.is_close or not compared.ends_alike else f"**{text}**"


def _percent(part: float) -> str:
    return "equal" if part == 0 else f"{100 * part:+.2f} %".replace("-", "−")


def _end(compared: Comparison) -> str:
    """Say where the allocator refused memory, and whether the simulator did there too."""
    allocator, simulator = compared.allocator, compared.simulator
    if not compared.ends_alike:
        ends = [f"{each.end}" for each in (allocator, simulator)]
        return f"**{ends[0]}; simulator: {ends[1]}**"
    return allocator.end if allocator.refusals or allocator.failure else ""
