"""Run notebooks of other people dry, as they stand: writes a table of `dry_run.md`.

`python -m benchmarks.notebooks FOLDER` takes each notebook and script of `notebooks.json` from
FOLDER/OWNER/NAME, where its repository lies checked out, at the commit that stands there; what is
missing is fetched by git. Only data is made up: by `--fake-data`, and where that has none by code
of ours in a cell before all others. A notebook that was written for Transformers 4 runs where that
is installed. Results take the place of earlier ones; no source of others is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from importlib import metadata
from pathlib import Path
from shutil import copytree
from typing import Any

from gpu_headroom.dry_runs.notebook import read
from tests.dry_runs.notebooks import write

from scripts import marked

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("dry_run.md")
LIST = Path(__file__).with_suffix(".json")
BEGIN, END = "<!-- made by benchmarks/notebooks.py -->\n", "<!-- end of notebooks -->\n"
OPTIONS = ("--fake-data", "--run-all", "--no-tries", "--json", "--gpu", "A100 80GB")
_LIMITS = ("--cell-time", "40", "--time", "300")
_MIB = 2**20
_SHORTENED = 110
_SITE = "https://github.com"
_DONE, _TRAINED = "to its end", "its training to the end"


def laid(entry: dict[str, Any], listed: dict[str, Any], folder: Path, scratch: Path) -> Path:
    """Lay a notebook into `scratch` as it is run, with the files of its repository beside it."""
    home = folder / entry["repository"]
    if not (home / entry["path"]).exists():
        home = _fetched(entry, scratch / "fetched")
    work = scratch / "work"
    copytree(home, work, ignore=lambda *_: [".git"], symlinks=True)
    cells = [each.source for each in read(work / entry["path"])]
    for number, code in entry.get("instead", {}).items():
        cells[int(number) - 1] = code
    begin = [*[listed["preludes"][each] for each in entry.get("needs", ())], entry.get("begin", "")]
    path: Path = (work / entry["path"]).with_suffix(".dry.ipynb")
    return write(path, "\n".join(begin) or "0", *cells)


def _fetched(entry: dict[str, Any], into: Path) -> Path:
    url = f"{_SITE}/{entry['repository']}"
    into.mkdir()
    fetch, checkout = ["fetch", "--depth", "1", url, entry["commit"]], ["checkout", "FETCH_HEAD"]
    for command in (["init"], fetch, checkout):
        subprocess.run(["git", *command, "-q"], cwd=into, check=True)
    return into


def result_of(path: Path, devices: int) -> dict[str, Any]:
    """Run a notebook dry, and return what came of it; its peak is without the driver's context."""
    command = [sys.executable, "-m", "gpu_headroom", "dry-run", path.name, *OPTIONS, *_LIMITS]
    command += ["--devices", str(devices)]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python_helper"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        command, cwd=path.parent, env=env, capture_output=True, text=True, check=False
    )
    if not done.stdout.startswith("{"):
        return {"outcome": "crashed", "error": done.stderr.strip()[-_SHORTENED:]}
    found = json.loads(done.stdout)
    return {
        "outcome": found["outcome"],
        "error": found["error"],
        "peak_bytes": max(each["allocated_bytes"] for each in found["peaks"]),
        "trained": bool(found["cut"]),
        "timed_out": bool(found["timed_out"]),
    }


def summary(entries: list[dict[str, Any]]) -> str:
    """Return the paragraph and the table of the page."""
    known = [each for each in entries if "result" in each]
    counts = Counter(came_of(each) for each in known)
    reached = counts[_DONE] + counts[_TRAINED]
    lines = [
        f"Of {len(known)} notebooks and scripts {reached} come to the end of their training,",
        f"{counts[_DONE]} of them to their last cell. *Peak* is what is in use at most.\n",
        "| notebook | field | runs | peak | ends with |",
        "| --- | --- | --- | --- | --- |",
    ]
    for each in known:
        result = each["result"]
        url = f"{_SITE}/{each['repository']}/blob/{each['commit']}/{each['path']}"
        name = f"[{each['repository']}: {Path(each['path']).name}]({url.replace(' ', '%20')})"
        peak = f"{result['peak_bytes'] / _MIB:,.1f} MiB" if result.get("peak_bytes") else ""
        error = " ".join((result["error"] or "").split())[:_SHORTENED].replace("|", "\\|")
        why = f"{error} *{each['fault']}*" if error and "fault" in each else error
        lines.append(f"| {name} | {each['field']} | {came_of(each)} | {peak} | {why} |")
    return "\n".join(lines) + "\n"


def came_of(entry: dict[str, Any]) -> str:
    """Return how far a notebook came."""
    result = entry["result"]
    if result["outcome"] == "done":
        return _DONE
    return _TRAINED if result.get("trained") else "not so far"


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="FOLDER")
    parser.add_argument(
        "--only", nargs="*", default=[], metavar="TEXT", help="parts of their names"
    )
    asked = parser.parse_args()
    listed = json.loads(LIST.read_text(encoding="utf-8"))
    major = int(metadata.version("transformers").partition(".")[0])
    for entry in listed["notebooks"]:
        name = f"{entry['repository']}/{entry['path']}"
        is_wanted = not asked.only or any(each in name for each in asked.only)
        if not is_wanted or entry.get("transformers", major) != major:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            path = laid(entry, listed, asked.folder.absolute(), Path(scratch))
            entry["result"] = result_of(path, entry.get("devices", 1))
        print(name, entry["result"], flush=True)
        LIST.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    made = summary(listed["notebooks"])
    text = marked.renewed(PAGE.read_text(encoding="utf-8"), BEGIN, END, made)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
