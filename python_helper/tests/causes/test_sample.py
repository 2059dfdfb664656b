"""A short sample of the benchmark of causes: what a report says of notebooks with a seeded one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.causes.examination import Place, examine
from benchmarks.causes.notebook import (
    FOLDER,
    REPORTS,
    HeaderError,
    cell_id,
    read,
    read_all,
    read_reports,
)
from benchmarks.causes.trial import prepare, report_of, run_to_failure
from benchmarks.causes.verdict import has_remedy, useless, verdict
from benchmarks.causes.vocabulary import WITHOUT_REPORT
from benchmarks.recovery.kernels import Environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.causes.notebook import SeededNotebook

# What holds today: widen it as rules are written. None of them needs a library.
SAMPLE = (
    "batch_as_argument",
    "broadcast_of_targets",
    "losses_in_list",
    "first_optimizer_step",
    "other_program",
    "traceback_of_first_try",
    "validation_with_gradients",
    "worker_process",
)
# Of the public bug reports.
ANSWERED = ("host_array", "inputs_gathered", "nerf_chunks_gathered", "optuna_trials_caught")
NOTEBOOKS = {row.name: row for row in read_all([FOLDER.name])}
REPORTED = {row.name: row for row in read_all([REPORTS.name])}
THREAD = """
```python thing.py
place = __file__
```

## one

```python
# A report
# cause: unknown
# edit: no
# remedy: none
# gpu: 1GiB
# fails: import thing
# source: https://example.org

# %%
import thing
```
"""


@pytest.fixture(scope="module")
def environment(newest_python: Path) -> Iterator[Environment]:
    """Kernels of the newest generation."""
    with Environment("sample", newest_python) as opened:
        yield opened


@pytest.mark.smoke
@pytest.mark.parametrize("name", SAMPLE)
def test_the_seeded_cause_is_named_first(
    environment: Environment, name: str, tmp_path: Path
) -> None:
    """The notebook fails where its header says, and its report names the cause and the line."""
    notebook = NOTEBOOKS[name]
    with environment.open(tmp_path) as kernel:
        own_id = cell_id(notebook.steps[-1].cell)
        report = report_of(kernel, run_to_failure(kernel, notebook), own_id)
    assert report is not None
    assert report["cause"] is not None
    assert report["cause"]["rule"] == notebook.cause
    assert _line(notebook, report["line"]) == notebook.fails


@pytest.mark.parametrize("name", ANSWERED)
def test_a_public_bug_report_is_answered(environment: Environment, name: str) -> None:
    """Its cause and a remedy are right, none is useless, and what has to be named is."""
    report = REPORTED[name]
    result = examine(Place(environment), report, quick=True)
    assert verdict(report, result) == "right"
    assert has_remedy(report, result)
    assert not useless(report, result)
    assert not result.unsaid


def test_public_bug_reports_name_their_threads() -> None:
    """Forty and nine of them, each of another thread, and what helped there is in its header."""
    assert len(REPORTED) >= 49
    assert len({report.source for report in REPORTED.values()}) == len(REPORTED)
    assert all(report.source.startswith("https://") for report in REPORTED.values())
    assert all(report.helps or report.cause in WITHOUT_REPORT for report in REPORTED.values())


def test_modules_of_libraries_lie_outside_of_the_notebook_s_folder(
    environment: Environment, tmp_path: Path
) -> None:
    """A report's stand-ins are imported from a `site-packages`, as what is installed is."""
    file = tmp_path / "some.md"
    file.write_text(THREAD, encoding="utf-8")
    (report,) = read_reports(file)
    with Place(environment).open_in_folder(report) as (kernel, folder):
        prepare(kernel, report)
        place = Path(kernel.value("__import__('thing').place"))
    assert place.parent == folder.with_name("site-packages")


def test_there_are_enough_of_every_kind() -> None:
    """Sixty notebooks and more, a third of them with two plausible causes, twenty of libraries."""
    plausible = [notebook for notebook in NOTEBOOKS.values() if notebook.also]
    libraries = [notebook for notebook in NOTEBOOKS.values() if notebook.needs_libraries]
    assert len(NOTEBOOKS) >= 60
    assert len(plausible) * 3 >= len(NOTEBOOKS)
    assert 15 <= len(libraries) <= 25
    assert len({notebook.cause for notebook in NOTEBOOKS.values()}) >= 20


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ("# cause: gremlins", "a cause without an id"),
        ("# what: batch", "`what` is for activations"),
        ("# cure: losses => numbers", "a cure does not match once"),
        ("# fails: loss.forward()", "the failing cell has no such line"),
        ("# run: 1 2 3", "the last run does not fail"),
        ("# colour: red", "unknown"),
    ],
)
def test_a_header_that_is_wrong_is_refused(header: str, why: str) -> None:
    """A label that cannot be true is found when it is read."""
    lines = (FOLDER / "losses_in_list.py").read_text(encoding="utf-8").splitlines()
    key = header.partition(":")[0]
    rest = [line for line in lines if not line.startswith(f"{key}:")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed.py"
        path.write_text("\n".join([rest[0], header, *rest[1:]]), encoding="utf-8")
        with pytest.raises(HeaderError, match=why):
            read(path)


def _line(notebook: SeededNotebook, number: int) -> str:
    return notebook.cells[notebook.steps[-1].cell - 1].splitlines()[number - 1].strip()
