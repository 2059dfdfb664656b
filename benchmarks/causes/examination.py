"""What a report states of a notebook, and whether it is true: edits applied, memory freed."""

from __future__ import annotations

import ast
import re
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.inputtransformer2 import TransformerManager
from tests.programs import applied

from benchmarks.causes.notebook import cell_id
from benchmarks.causes.trial import (
    OF_THE_FAILED_CELL,
    NotAsSaid,
    ending,
    error_text,
    free,
    lay,
    overwritten,
    prepare,
    report_of,
    run_cell,
    run_cured,
    run_to_failure,
)
from benchmarks.causes.vocabulary import OFFERED_AS, WITHOUT_REPORT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.causes.notebook import SeededNotebook
    from benchmarks.causes.sources import Sources
    from benchmarks.recovery.kernels import Environment, Notebook

# What a person reads of a report.
_TEXT_KEYS = (
    "cause",
    "further_causes",
    "parts",
    "holders",
    "traceback_variables",
    "remedies",
    "details",
)
_LARGE_GPU = "4000GiB"
_REQUESTS = "__import__('torch').cuda.memory_stats().get('allocation.all.allocated', 0)"
_RECORD = """
import torch
torch.cuda.memory._record_memory_history(enabled="all", context=None, max_entries=10**7)
del torch
"""
_MEASURE = """
import torch
def _measured(requests):
    at_failure = None
    peak = torch.cuda.max_memory_allocated()
    in_use, made = 0, 0
    for entry in torch.cuda.memory._snapshot()["device_traces"][0]:
        if entry["action"] == "alloc":
            in_use, made = in_use + entry["size"], made + 1
            if made == requests + 1:
                at_failure = in_use
        elif entry["action"] == "free_completed":
            in_use -= entry["size"]
    return at_failure, peak, made
"""


@dataclass(frozen=True)
class Place:
    """Where notebooks run: an environment, and the checkouts that recipes take files from."""

    environment: Environment
    sources: Sources | None = None

    @contextmanager
    def open(self, notebook: SeededNotebook, *, cured: bool = False) -> Iterator[Notebook]:
        """Start a fresh kernel in a folder of its own, with the files of the notebook."""
        with self.open_in_folder(notebook, cured=cured) as (kernel, _):
            yield kernel

    @contextmanager
    def open_in_folder(
        self,
        notebook: SeededNotebook,
        edited: Mapping[str, str] | None = None,
        *,
        cured: bool = False,
    ) -> Iterator[tuple[Notebook, Path]]:
        """Do the same, with files that were `edited`, and say where."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            folder = Path(name) / "notebook"
            folder.mkdir()
            lay(notebook, folder, self.sources, cured=cured)
            _write(folder, edited or {})
            with self.environment.open(folder) as kernel:
                yield kernel, folder


@dataclass(frozen=True)
class EditTrial:
    """An edit that was offered, after it was applied."""

    remedy: str
    passes: bool
    """In the kernel that failed, freed as *Apply and re-run* frees it."""
    parses: bool
    once: bool
    """Whether to apply it a second time changes nothing."""
    promised_bytes: int | None
    quality: str
    """Of the promise: `measured`, `estimated`, `at_least`, `not_measured`."""
    saved_bytes: int | None
    """How much less is in use at the request that failed, measured on a GPU that is never full.

    Where memory is asked for otherwise often that is another one: the share by which the peak is
    lower then, of what was in use.
    """
    saved_of_peak_bytes: int | None
    """How much lower the peak of the whole notebook is there."""
    larger_passes: bool | None
    """Whether twice the size that is proposed passes, too, in a fresh kernel; of a size only.

    `None` also where that is not smaller than the size that failed.
    """
    fault: str = ""


@dataclass(frozen=True)
class Examination:
    """What a report stated, beside what is true."""

    notebook: str
    first: str | None
    further: tuple[str, ...]
    remedies: tuple[tuple[str, str], ...]
    """Id and kind of each."""
    not_attributed_bytes: int | None
    in_use_bytes: int | None
    line_is_right: bool
    fits_after_free: bool | None
    passes_after_free: bool
    """Whether the failing cell passes once what it holds is freed."""
    passes_after_safe_set: bool
    """… and everything else that costs nothing."""
    edits: tuple[EditTrial, ...]
    helping: tuple[str, ...] = ()
    """Ids of those that are right by the header of a report."""
    unsaid: tuple[str, ...] = ()
    """What a report has to say by its header, and does not."""


@dataclass(frozen=True)
class _Use:
    """What a notebook uses on a GPU that is never full."""

    at_failure_bytes: int | None
    peak_bytes: int | None
    requests: int | None


_UNKNOWN = _Use(None, None, None)


@dataclass(frozen=True)
class _Large:
    """A GPU that is never full, to measure on: a notebook that failed after so many requests."""

    place: Place
    notebook: SeededNotebook
    requests: int

    def run(self, sources: Mapping[str, str]) -> _Use:
        """Run the notebook with these cells and files; unknown where it fails all the same."""
        with self.place.open_in_folder(self.notebook, sources) as (kernel, _):
            prepare(kernel, self.notebook, card=_LARGE_GPU)
            kernel.quietly(_RECORD)
            try:
                for step in self.notebook.steps:
                    run = run_cell(kernel, step.cell, sources)
                    if ending(run) != "ok" and step.ends != "error":
                        return _UNKNOWN
            except AssertionError:  # it takes too long
                return _UNKNOWN
            kernel.quietly(_MEASURE)
            return _Use(*kernel.value(f"_measured({self.requests})"))


def examine(place: Place, notebook: SeededNotebook, *, quick: bool = False) -> Examination:
    """Let a notebook fail, read its report, and do what it offers, each in a fresh kernel.

    `quick` leaves out what edits save, which takes as long as all the rest.

    Raises `NotAsSaid` where the notebook does not do what its header says.
    """
    if notebook.cause in WITHOUT_REPORT:
        return _without_report(place, notebook)
    with place.open(notebook) as kernel:
        run = run_to_failure(kernel, notebook)
        report = report_of(kernel, run, cell_id(notebook.steps[-1].cell))
        if report is None:
            raise NotAsSaid("there is no report")
        requests: int = kernel.value(_REQUESTS)
        after = [
            _passes_freed(kernel, notebook, report, items) for items in (OF_THE_FAILED_CELL, None)
        ]
    remedies = [entry for entry in report["remedies"] if entry["kind"] == "edit"]
    large = None if quick else _Large(place, notebook, requests)
    unedited = large.run(notebook.sources) if large and remedies else _UNKNOWN
    edits = [_try(place, notebook, remedy, large, unedited) for remedy in remedies]
    parts = {part["kind"]: part["bytes"] for part in report["parts"]}
    causes = [entry["rule"] for entry in (report["cause"], *report["further_causes"]) if entry]
    return Examination(
        notebook=notebook.name,
        first=causes[0] if causes else None,
        further=tuple(causes[1:]),
        remedies=tuple((entry["id"], entry["kind"]) for entry in report["remedies"]),
        not_attributed_bytes=parts.get("not_attributed"),
        in_use_bytes=report["in_use_bytes"],
        line_is_right=_line(notebook, report) == notebook.fails,
        fits_after_free=report["fits_after_free"],
        passes_after_free=after[0],
        passes_after_safe_set=any(after),
        edits=tuple(edits),
        helping=_helping(notebook, report["remedies"]),
        unsaid=_unsaid(notebook, {key: report[key] for key in _TEXT_KEYS}),
    )


def _without_report(place: Place, notebook: SeededNotebook) -> Examination:
    """Say whether there is a warning where the code went on, and else no report."""
    with place.open(notebook) as kernel:
        run = run_to_failure(kernel, notebook)
        report = report_of(kernel, run, cell_id(notebook.steps[-1].cell))
        warnings = [event for event in kernel.events("warning") if event["kind"] == "swallowed_oom"]
    is_right = report is None and (notebook.cause == "host-memory") != bool(warnings)
    rule = report["cause"]["rule"] if report and report["cause"] else None
    return Examination(
        notebook=notebook.name,
        first=notebook.cause if is_right else rule,
        further=(),
        remedies=(),
        not_attributed_bytes=None,
        in_use_bytes=None,
        line_is_right=True,
        fits_after_free=None,
        passes_after_free=False,
        passes_after_safe_set=False,
        edits=(),
        unsaid=_unsaid(notebook, [warnings, *([report] if report else [])]),
    )


def _helping(notebook: SeededNotebook, remedies: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the ids of the remedies that the header of a report calls right."""
    right = {id_ for each in notebook.remedies for id_ in OFFERED_AS.get(each, ())}
    right |= set(notebook.remedies) - {"none"}
    pattern = notebook.helps
    return tuple(
        each["id"]
        for each in remedies
        if each["id"] not in notebook.useless
        and (each["id"] in right or (pattern and re.search(pattern, "\n".join(_strings(each)))))
    )


def _unsaid(notebook: SeededNotebook, message: object) -> tuple[str, ...]:
    text = "\n".join(_strings(message))
    return tuple(pattern for pattern in notebook.says if not re.search(pattern, text))


def _strings(value: object) -> Iterator[str]:
    """Yield the texts inside a message of the wire."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def check(place: Place, notebook: SeededNotebook) -> None:
    """Let a notebook fail, and pass with its header's edits; raises `NotAsSaid`."""
    with place.open(notebook) as kernel:
        run_to_failure(kernel, notebook)
    if not notebook.cures:
        return
    with place.open(notebook, cured=True) as kernel:
        run_cured(kernel, notebook)


def _passes_freed(
    kernel: Notebook, notebook: SeededNotebook, report: dict[str, Any], items: list[str] | None
) -> bool:
    free(kernel, report["report_id"], items)
    return ending(run_cell(kernel, notebook.steps[-1].cell, notebook.sources)) == "ok"


def _line(notebook: SeededNotebook, report: dict[str, Any]) -> str | None:
    lines = notebook.cells[notebook.steps[-1].cell - 1].splitlines()
    number = report["line"]
    return lines[number - 1].strip() if number is not None and number <= len(lines) else None


def _try(
    place: Place,
    notebook: SeededNotebook,
    remedy: dict[str, Any],
    large: _Large | None,
    unedited: _Use,
) -> EditTrial:
    """Apply an edit of the report in a kernel that failed, and run what the helper says."""
    fault, passes, once = "", False, False
    sources = before = dict(notebook.sources)
    fix = None
    try:
        with place.open_in_folder(notebook) as (kernel, folder):
            own_id = cell_id(notebook.steps[-1].cell)
            report = report_of(kernel, run_to_failure(kernel, notebook), own_id)
            assert report is not None
            files = {each["file"] for each in remedy["diffs"] if each["file"]}
            before = sources | {each: (folder / each).read_text("utf-8") for each in files}
            wish = {"report_id": report["report_id"], "remedy_id": remedy["id"]}
            fix = kernel.ask("fix", **wish, sources=before)
            sources = _applied(before, fix)
            second = kernel.ask("fix", **wish, sources=sources)
            once = second["status"] != "ok" or _is_refused(sources, second)
            _write(folder, sources)
            item_ids = overwritten(kernel, report["report_id"], fix["run"], sources)
            free(kernel, report["report_id"], [*OF_THE_FAILED_CELL, *item_ids])
            fault = _run(kernel, fix["run"], sources)
            passes = not fault
    except AssertionError as error:
        fault = str(error)[-500:]
    edited = large.run(sources) if large and passes else _UNKNOWN
    larger = _larger(remedy, before, fix) if large and passes and fix else None
    return EditTrial(
        remedy=remedy["id"],
        passes=passes,
        parses=all(map(_parses, sources.values())),
        once=once,
        promised_bytes=remedy["effect_bytes"],
        quality=remedy["effect_quality"],
        saved_bytes=_saved(unedited, edited),
        saved_of_peak_bytes=_less(unedited.peak_bytes, edited.peak_bytes),
        larger_passes=_passes(place, notebook, larger) if larger else None,
        fault=fault,
    )


def _write(folder: Path, sources: Mapping[str, str]) -> None:
    """Write those files that are no cells."""
    for name, text in sources.items():
        if name.endswith(".py"):
            (folder / name).write_text(text, encoding="utf-8")


def _larger(
    remedy: Mapping[str, Any], sources: Mapping[str, str], fix: Mapping[str, Any]
) -> dict[str, str] | None:
    """Return the sources with twice the size that a remedy proposes; `None`: it is no size."""
    params = remedy["title"]["params"]
    old, new = params.get("old"), params.get("new")
    if remedy["id"] != "smaller-batch" or old is None or 2 * int(new) >= int(old):
        return None
    twice = str(2 * int(new))
    edits = [
        {**edit, "new_lines": _resized(edit["old_lines"], edit["new_lines"], str(new), twice)}
        for edit in fix["edits"]
    ]
    return applied(sources, edits)


def _resized(old_lines: list[str], new_lines: list[str], new: str, twice: str) -> list[str]:
    """Put `twice` for `new` in the lines that an edit has changed."""
    return [
        line if line in old_lines else re.sub(rf"(?<![\w.]){new}(?![\w.])", twice, line)
        for line in new_lines
    ]


def _passes(place: Place, notebook: SeededNotebook, sources: Mapping[str, str]) -> bool:
    """Whether the notebook comes to its end with these cells and files."""
    with place.open_in_folder(notebook, sources) as (kernel, _):
        prepare(kernel, notebook)
        ends = [ending(run_cell(kernel, step.cell, sources)) for step in notebook.steps]
    return ends[-1] == "ok"


def _applied(sources: Mapping[str, str], fix: Mapping[str, Any]) -> dict[str, str]:
    """Make the edits of a reply as the page does; raises `AssertionError` where they do not fit."""
    assert fix["status"] == "ok", f"no edit: {fix['message']['text']}"
    changed = applied(sources, fix["edits"])
    assert changed != sources, "the edit changes nothing"
    return changed


def _is_refused(sources: Mapping[str, str], fix: Mapping[str, Any]) -> bool:
    """Whether these edits do not fit any more, as a page would find, or change nothing."""
    try:
        return applied(sources, fix["edits"]) == sources
    except AssertionError:
        return True


def _run(kernel: Notebook, ids: list[str], sources: Mapping[str, str]) -> str:
    """Run these cells in order; the end of the traceback of the first that fails."""
    numbers = {cell_id(n): n for n in range(1, len(sources) + 1)}
    for own_id in ids:
        run = run_cell(kernel, numbers[own_id], sources)
        if ending(run) != "ok":
            return f"{own_id}: {error_text(run)[-400:]}"
    return "" if ids else "no cell to run"


def _saved(unedited: _Use, edited: _Use) -> int | None:
    before, lower = unedited.at_failure_bytes, _less(unedited.peak_bytes, edited.peak_bytes)
    if unedited.requests == edited.requests or before is None or lower is None:
        return _less(before, edited.at_failure_bytes)
    return round(before * lower / (unedited.peak_bytes or 1))


def _less(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else before - after


def _parses(source: str) -> bool:
    try:
        # Magics are calls then. IPython has no types.
        python = TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
        compile(python, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError:
        return False
    return True
