"""Let every notebook fail in a real kernel, judge its report, try what it offers; write the page.

`python -m benchmarks.causes.run` does all of it; names choose a part, whose results take the place
of the earlier ones. `--check` runs the notebooks with the edits of their headers instead.
Recipes of public notebooks need `--sources`, a folder in which clones lie as `owner/name`.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from tests.conftest import ROOT

from benchmarks.causes import page
from benchmarks.causes.examination import Place, check, examine
from benchmarks.causes.notebook import read_all
from benchmarks.causes.results import Results
from benchmarks.causes.sources import Sources
from benchmarks.causes.verdict import has_remedy, useless, verdict
from benchmarks.recovery.kernels import Environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.causes.notebook import SeededNotebook

PLAIN = ROOT / ".venvs" / "families" / "bin" / "python"
LIBRARIES = ROOT / ".venvs" / "libraries" / "bin" / "python"


def main() -> None:
    """Examine what was asked for."""
    options = _arguments()
    sources = Sources(options.sources) if options.sources else None
    notebooks = [
        each
        for each in read_all(options.names, sources)
        if (each.is_here and (LIBRARIES.exists() or not each.needs_libraries))
        or print(f"{each.name}: left out")
    ]
    pythons = {
        each.needs_libraries: LIBRARIES if each.needs_libraries else PLAIN for each in notebooks
    }
    with ExitStack() as stack, ThreadPoolExecutor(options.workers) as pool:
        places = {
            needs: Place(stack.enter_context(Environment("causes", python)), sources)
            for needs, python in pythons.items()
        }
        if options.check:
            missing = _check(pool, places, notebooks)
        else:
            missing = _examine(pool, places, notebooks, quick=options.quick)
    if missing:
        raise SystemExit("Not as said:\n" + "\n".join(missing))


def _check(
    pool: ThreadPoolExecutor,
    places: Mapping[bool, Place],
    notebooks: list[SeededNotebook],
) -> list[str]:
    def attempt(notebook: SeededNotebook) -> str:
        try:
            check(places[notebook.needs_libraries], notebook)
        except AssertionError as error:
            return f"{notebook.name}: {error}"
        return ""

    return [fault for fault in pool.map(attempt, notebooks) if fault]


def _examine(
    pool: ThreadPoolExecutor,
    places: Mapping[bool, Place],
    notebooks: list[SeededNotebook],
    *,
    quick: bool,
) -> list[str]:
    results = Results.read()
    results.keep_only(each.name for each in read_all())
    versions = next(iter(places.values())).environment.versions
    saving = Lock()

    def attempt(notebook: SeededNotebook) -> str:
        try:
            result = examine(places[notebook.needs_libraries], notebook, quick=quick)
        except (AssertionError, RuntimeError) as error:
            return f"{notebook.name}: {error}"
        with saving:
            results.enter(result)
            results.save(versions)
        label = verdict(notebook, result)
        text = f"{result.first} for {notebook.cause}"
        if notebook.is_report:
            helps = ", ".join(result.helping) if has_remedy(notebook, result) else "no remedy"
            text += f"; {helps}; {' and '.join(result.unsaid) or 'nothing'} unsaid"
        print(f"{label:7} {notebook.name}: {text}; {useless(notebook, result) or ''}", flush=True)
        return ""

    missing = [fault for fault in pool.map(attempt, notebooks) if fault]
    page.write(results, read_all())
    pairs = [
        (each, results.examinations[each.name])
        for each in notebooks
        if each.name in results.examinations
    ]
    print(page.summary(pairs))
    return missing


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="notebooks; all if there is none")
    parser.add_argument("--check", action="store_true", help="check the labels")
    parser.add_argument("--quick", action="store_true", help="do not measure what edits save")
    parser.add_argument("--sources", type=Path, metavar="DIR", help="clones, as owner/name")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
