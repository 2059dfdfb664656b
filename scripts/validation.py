"""What is claimed, and who runs it: the first table of docs/validation.md."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TypedDict

from scripts import marked

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "validation.json"
PAGE = ROOT / "docs" / "validation.md"
BEGIN, END = "<!-- made by scripts/validation.py -->\n", "<!-- end of what it made -->\n"

TEST = "`make test-all`"
"""By whom a version is run whose results are not kept: a change that breaks it does not land."""
CLAIMS = {
    "JupyterLab 4.2": TEST,
    "JupyterLab 4.3": "",
    "JupyterLab 4.4": "",
    "JupyterLab 4.5": "",
    "JupyterLab 4.6": TEST,
    "JupyterLab 4.7": "",
    "Notebook 7.2": TEST,
    "Notebook 7.3": "",
    "Notebook 7.4": "",
    "Notebook 7.5": "",
    "Notebook 7.6": TEST,
    "Notebook 7.7": "",
    "ipykernel 6.17": TEST,
    "ipykernel 6.21": "",
    "ipykernel 6.25": "",
    "ipykernel 6.29": TEST,
    "ipykernel 6.31": "",
    "ipykernel 7.1": "",
    "ipykernel 7.4": TEST,
    "Colab's kernel, Python 3.12": "",
    "Colab's kernel, Python 3.13": "",
    "Python 3.10": "",
    "Python 3.11": TEST,
    "Python 3.12": "",
    "Python 3.13": "",
    "Python 3.14": "",
    "Chromium": TEST,
    "Firefox": "",
    "Safari": "",
    "JupyterHub": "",
    "Real-time collaboration": "",
    "Kernel gateway": "",
    "Outputs without scripts": "",
    "Linux": TEST,
    "macOS": "",
    "Windows": "",
}
"""Each claim, and who runs it where that is not `make matrix`."""
PINNED = {
    "JupyterLab 4.2": ("lab-4.2", "jupyterlab"),
    "JupyterLab 4.6": ("lab-4.6", "jupyterlab"),
    "Notebook 7.2": ("lab-4.2", "notebook"),
    "Notebook 7.6": ("lab-4.6", "notebook"),
    "ipykernel 6.17": ("kernel-6.17", "ipykernel"),
    "ipykernel 6.29": ("lab-4.2", "ipykernel"),
    "ipykernel 7.4": ("lab-4.6", "ipykernel"),
}
"""In which requirements the version stands that `make test-all` runs, and of what."""


class Result(TypedDict):
    """What became of a cell of the matrix when it last ran."""

    date: str
    ran: str
    """The versions in full."""
    passed: int
    failed: list[str]


Results = dict[str, Result]


def read() -> Results:
    """Return what ran so far."""
    results: Results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return results


def record(name: str, result: Result) -> None:
    """Keep a result, and write the page anew."""
    results = {**read(), name: result}
    current = {claim: results[claim] for claim in CLAIMS if claim in results}
    RESULTS.write_text(json.dumps(current, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), current), encoding="utf-8")


def renewed(page: str, results: Results) -> str:
    """Return the page with the table as these results have it."""
    return marked.renewed(page, BEGIN, END, f"{table(results)}\n")


def table(results: Results) -> str:
    """Return the claims as a table: run by whom, when, with how many tests; else *declared*."""
    rows = ["| claim | run by | versions | tests | last run |", "| --- | --- | --- | --- | --- |"]
    rows += [f"| {claim} | {' | '.join(_cells(claim, results.get(claim)))} |" for claim in CLAIMS]
    return "\n".join(rows)


def _cells(claim: str, result: Result | None) -> tuple[str, str, str, str]:
    if CLAIMS[claim]:
        return CLAIMS[claim], _pinned(claim), "", ""
    if result is None:
        return "**declared**, not run", "", "", ""
    failed = [f"`{test}`" for test in result["failed"]]
    tests = f"{result['passed']} passed" + (f"; failed: {', '.join(failed)}" if failed else "")
    return "`make matrix`", result["ran"], tests, result["date"]


def _pinned(claim: str) -> str:
    """Return the version that `make test-all` runs of what a claim is about."""
    if claim not in PINNED:
        return ""
    file, package = PINNED[claim]
    text = (ROOT / "requirements" / f"{file}.txt").read_text(encoding="utf-8")
    # The newest of what is pinned for several Pythons.
    versions = re.findall(rf"^{package}==(\S+)", text, re.MULTILINE)
    return f"{package} {max(versions, key=lambda each: [int(part) for part in each.split('.')])}"
