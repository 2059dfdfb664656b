"""Hold *Try these first* to what running the edits shows: writes a table of `dry_run.md`.

`python -m benchmarks.tries` lets the notebooks of `benchmarks/causes` fail in a kernel, presses
*Try these first* on each report, and runs what was tried as a person would: all cells up to the one
that failed, in a fresh kernel on a simulated GPU of that size, whole, with no loop ended early.
Names choose some, whose results take the place of earlier ones.
"""

from __future__ import annotations

import argparse
import json
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.dry_runs.page import Page
from tests.programs import applied

from benchmarks.causes.examination import Place
from benchmarks.causes.notebook import cell_id, read_all
from benchmarks.causes.run import LIBRARIES, PLAIN
from benchmarks.causes.trial import (
    DECLARE_OPERATORS,
    NotAsSaid,
    ending,
    error_text,
    prepare,
    report_of,
    run_cell,
    run_to_failure,
)
from benchmarks.recovery.kernels import Environment
from scripts import marked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.causes.notebook import SeededNotebook

PAGE = Path(__file__).with_name("dry_run.md")
RESULTS = Path(__file__).with_name("tries.json")
BEGIN, END = "<!-- made by benchmarks/tries.py -->\n", "<!-- end of tries -->\n"
_NEAR = 0.02
_PATIENCE_S = 900.0
_PEAK = "__import__('torch').cuda.max_memory_allocated()"


@dataclass(frozen=True)
class Tried:
    """One run of an edit: what the report stated of it, and what came of it.

    `number` is that which the edit sets. `fits` is `None` where it could not be tried; peaks are
    bytes in use of the framework, `None` where the run did not come to its end.
    """

    notebook: str
    remedy: str
    number: int | None
    fits: bool | None
    peak_bytes: int | None
    passes: bool
    real_peak_bytes: int | None
    said: str
    fault: str = ""

    @property
    def is_right(self) -> bool:
        """Whether what was stated is what came."""
        return self.fits == self.passes

    @property
    def is_near(self) -> bool:
        """Whether the peak is within 2 %, where both came to their end."""
        if self.peak_bytes is None or self.real_peak_bytes is None:
            return True
        return abs(self.peak_bytes / self.real_peak_bytes - 1) <= _NEAR


def judged(place: Place, notebook: SeededNotebook) -> Iterator[Tried]:
    """Press the button on a notebook's report, and do what was tried; may raise `NotAsSaid`."""
    with place.open(notebook) as kernel:
        failing = cell_id(notebook.steps[-1].cell)
        report = report_of(kernel, run_to_failure(kernel, notebook), failing)
        if report is None:
            raise NotAsSaid("there is no report")
        if not [each for each in report["remedies"] if each["kind"] == "edit"]:
            return
        sources = _up_to(notebook, notebook.steps[-1].cell)
        before = {"": DECLARE_OPERATORS} if notebook.needs_libraries else {}
        page = Page(kernel)
        wish = {"gpu": "", "report_id": report["report_id"], "agreed": True}
        step = page.end(page.begin(sources={**before, **sources}, **wish), _PATIENCE_S)
    if step["found"] is None:
        raise NotAsSaid(f"no dry run: {step['message']['text']}")
    for each in step["found"]["tries"]:
        if not each["edits"]:  # of advice, which has no button
            continue
        passes, peak_bytes, fault = _run(place, notebook, applied(sources, each["edits"]))
        stated_bytes = each["peak_bytes"] if each["fits"] else None
        yield Tried(
            notebook.name,
            each["remedy_id"],
            each["number"],
            each["fits"],
            None if stated_bytes is None else stated_bytes - report["outside_bytes"],
            passes,
            peak_bytes,
            each["message"]["text"],
            fault,
        )


def _up_to(notebook: SeededNotebook, last: int) -> dict[str, str]:
    return {cell_id(n): notebook.sources[cell_id(n)] for n in range(1, last + 1)}


def _run(
    place: Place, notebook: SeededNotebook, sources: Mapping[str, str]
) -> tuple[bool, int | None, str]:
    """Run cells in a fresh kernel: whether they pass, their peak, and what ended them."""
    with place.open(notebook) as kernel:
        prepare(kernel, notebook)
        for number in range(1, len(sources) + 1):
            try:
                run = run_cell(kernel, number, sources)
            except AssertionError as error:
                return False, None, str(error)
            if ending(run) != "ok":
                return False, None, error_text(run).rpartition("\n")[2][:200]
        peak: int = kernel.value(_PEAK)
    return True, peak, ""


class Largest:
    """Whether the largest batch that was found is: the next one that was tried does not pass."""

    def __init__(self, tries: Sequence[Tried]) -> None:
        numbers = [each for each in tries if each.number is not None]
        passing = {each.number for each in numbers if each.passes}
        failing = {each.number for each in numbers if not each.passes}
        fitting = {each.number for each in numbers if each.fits}
        self.is_known = bool(fitting)
        best = max((each for each in fitting if each is not None), default=0)
        self.is_right = best in passing and best + 1 in failing


def _read() -> list[Tried]:
    records = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    return [Tried(**record) for record in records]


def _write(results: Sequence[Tried]) -> None:
    records = [asdict(result) for result in results]
    RESULTS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def summary(results: Sequence[Tried]) -> str:
    """Return the paragraph and the table of a page."""
    runs = [each for each in results if each.fits is not None]
    complete = [each for each in runs if each.fits and each.passes]
    right = [each for each in runs if each.is_right]
    near = [each for each in complete if each.is_near]
    largest = [
        Largest([each for each in results if (each.notebook, each.remedy) == pair])
        for pair in sorted({(each.notebook, each.remedy) for each in results})
    ]
    answers = [each for each in largest if each.is_known]
    notebooks = len({each.notebook for each in results})
    rows = [
        ("tried", len(results)),
        ("cannot be tried", len(results) - len(runs)),
        ("what was said of it is what came of it", f"{len(right)} of {len(runs)}"),
        ("peak within 2 % of that of the whole run", f"{len(near)} of {len(complete)}"),
        (
            "the largest number found passes, and one more does not",
            f"{sum(each.is_right for each in answers)} of {len(answers)}",
        ),
    ]
    table = "".join(f"| {name} | {value} |\n" for name, value in rows)
    return (
        f"{notebooks} notebooks whose report offers an edit:\n\n| runs | |\n| --- | --- |\n{table}"
    )


def main() -> None:
    """Judge what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="notebooks; all if there is none")
    names = parser.parse_args().names
    results = _read()
    with ExitStack() as stack:
        places: dict[bool, Place] = {}
        for notebook in read_all(names):
            needs = notebook.needs_libraries
            if not notebook.is_here or notebook.origin is not None:
                continue
            if needs not in places:
                python = LIBRARIES if needs else PLAIN
                places[needs] = Place(stack.enter_context(Environment("tries", python)))
            try:
                trials = list(judged(places[needs], notebook))
            except AssertionError as error:
                print(f"{notebook.name}: {error}", flush=True)
                continue
            results = [trial for trial in results if trial.notebook != notebook.name] + trials
            _write(results)
            for trial in trials:
                mark = "" if trial.is_right and trial.is_near else "***"
                print(notebook.name, trial.remedy, trial.number, trial.said, trial.fault, mark)
    text = marked.renewed(PAGE.read_text(encoding="utf-8"), BEGIN, END, summary(results))
    PAGE.write_text(text, encoding="utf-8")
    print(summary(results))


if __name__ == "__main__":
    main()
