"""`results.md`, made from the results."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.causes.verdict import has_remedy, is_close, useless, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.causes.examination import EditTrial, Examination
    from benchmarks.causes.notebook import SeededNotebook
    from benchmarks.causes.results import Results
    from benchmarks.causes.sources import Origin

    Pair = tuple[SeededNotebook, Examination]

FILE = Path(__file__).with_name("results.md")
LAYERS = Path(__file__).with_name("layers.md")
GIB = 2**30
_HEAD = ("notebook", "what is in it", "cause", "said first", "and", "useless", "edits", "freed")
_OF_REPORTS = (*_HEAD[:5], "right remedies", "not named", *_HEAD[5:7])

TEXT = """# Which cause a report names

Made by `make causes`; do not edit. Measured on a **simulated GPU**, {date}, {versions}.

## Notebooks with a seeded cause

{notebooks} of {all} notebooks were run: each runs out of GPU memory for a seeded cause, written in
the shape of real threads and pages of libraries (the `source` in each header). They were committed
**before the rules that explain them**, and were at hand while these were written: the numbers say
less than those of notebooks that nobody has seen. Two labels of `kept-tensors` became `suspended`
when there was a rule that says just what holds the memory: tasks, and results of Futures.
In {plausible} there is more than one plausible cause. They are in `benchmarks/causes/notebooks/`;
every single result is in `benchmarks/causes/results.json`.
Labels are checked: in {cured} the header names the edits of a person who knows, after
which it passes (`python -m benchmarks.causes.run --check`).

{summary}

Before those rules, with the ten that there were, the first cause was right in 41 of the 83, also
true in 14, absent in 10 and wrong in 18; of 18 edits, all of them of a batch, the cell passed
after 9.

## What the numbers mean

* **Right**: the first cause is the one whose removal makes the cell pass at the least price.
  **Also**: it is true, but not the one to act on first. **Absent**: no cause is named although
  there is one. **Wrong**: what is named is neither. Where nothing can be known, silence is right.
* **Useless**: an edit after which the cell still fails, or that does not parse or applies twice;
  *freeing is enough* where it is not, and the reverse. Each edit is asked for, applied and run in
  the kernel that failed, after the release that *Apply and re-run* makes.
* **An edit that cures**: an edit after which the cell passes, where the header says that one edit
  is enough. Five remedies are edits (`docs/edits.md`), all others are suggestions, with code to
  copy. **Offered**: any of them, or a release; not another GPU, or saving the training. *Suggested*
  in the table: no edit, but a suggestion.
* **Freed**: whether the failing cell passes once what it holds is freed, as measured; `safe set`:
  once everything is freed that costs nothing.
* **Promised**: the bytes that an edit is said to save are within 20 % of what it saves, or no more
  than that where it is said to save "at least" so much, measured by running both on a GPU that is
  never full. For a smaller batch that is how much lower the peak of the whole notebook is, in
  brackets in the table: a failure comes long before it. For other edits it is how much less is in
  use at the request that failed, or, where the edited run makes other requests, the share by which
  the peak is lower, of what was in use.
* Promises and sizes of results from before it was recorded how a promise is meant are not counted.
* **The largest that passes**: the size that is proposed passes in the kernel that failed, and twice
  that size does not in a fresh kernel (or would be the size that failed). Where the failed kernel
  had more in use than a fresh one, a larger size may pass there.

{table}

## Notebooks and scripts of other people

{public} of {public_all} recipes were run, which name a repository, a commit and a file. Nothing but
the data is replaced, and here and there a number is raised; their text is not kept here. They are
in `benchmarks/causes/public/`, and run where the clones lie in one folder as `owner/name`:
`make causes ARGS="--sources DIR"`. Without it their earlier results stand. Edits of scripts are
made in their files, as the page makes them.

{public_summary}

{public_table}

## Public bug reports

{reports} of {reports_all} reports were run. They are threads of issue trackers (the `source` in
each header) written anew in small, in their shape and with their names; what helped the person
there is the label. Libraries that are not installed are small stand-ins, which lie in a
`site-packages` as the real ones do, and keep memory where these keep it. Labels were committed
**before anything was known of what a report says**. They are in `benchmarks/causes/reports/`, run
alone by `make causes ARGS=reports`.

* **A right remedy**: one of those offered is what helped there, and passes where it is an edit.
  **What has to be named**: the number, the container or the module that the label names stands in
  the GPU. A remedy is **useless** also where the label says that it does not help here.
* Where a library catches the error and goes on, a warning is right, and a report is not; where the
  host's memory ran out, neither is.

{reports_summary}

{reports_table}

## How far a pass had come

A failure in a forward pass comes before the peak. What the layers have made so far, and what they
would have made, is reckoned by the numbers that they have (`oom/shapes.py`). Here the factor from
one to the other is set beside what autograd really saves, for each layer of a model that the GPU
could have run out at, from a twelfth of the pass on: 1 is right, less is too little. Models of
libraries, built and run without memory (`python -m benchmarks.causes.layers`).

{layers}"""


def write(results: Results, notebooks: Sequence[SeededNotebook]) -> None:
    """Write the page."""
    examinations = results.examinations
    pairs = [(each, examinations[each.name]) for each in notebooks if each.name in examinations]
    seeded = [pair for pair in pairs if not (pair[0].origin or pair[0].is_report)]
    public = [pair for pair in pairs if pair[0].origin]
    reports = [pair for pair in pairs if pair[0].is_report]
    FILE.write_text(
        TEXT.format(
            date=results.date,
            versions=", ".join(f"{name} {each}" for name, each in results.versions.items()),
            notebooks=len(seeded),
            all=sum(not (each.origin or each.is_report) for each in notebooks),
            plausible=sum(bool(notebook.also) for notebook, _ in seeded),
            cured=sum(bool(notebook.cures) for notebook, _ in seeded),
            summary=summary(seeded),
            table=_table(_HEAD, [_row(*pair) for pair in seeded]),
            public=len(public),
            public_all=sum(bool(each.origin) for each in notebooks),
            public_summary=summary(public),
            reports=len(reports),
            reports_all=sum(each.is_report for each in notebooks),
            reports_summary=summary(reports),
            reports_table=_table(_OF_REPORTS, [_report_row(*pair) for pair in reports]),
            layers=LAYERS.read_text(encoding="utf-8"),
            public_table=_table(_HEAD, [_row(*pair) for pair in public]),
        ),
        encoding="utf-8",
    )


def summary(pairs: Sequence[Pair]) -> str:
    """Return the numbers of all notebooks as a table."""
    return _table(("what", "of", "share"), list(_totals(pairs)))


def _totals(pairs: Sequence[Pair]) -> Iterator[Sequence[str]]:
    verdicts = Counter(verdict(*pair) for pair in pairs)
    for name in ("right", "also", "absent", "wrong"):
        yield _share(f"first cause {name}", verdicts[name], len(pairs))
    hits = sum(_is_named(*pair) for pair in pairs)
    yield _share("the seeded cause is named, first or later", hits, len(pairs))
    reports = [pair for pair in pairs if pair[0].is_report]
    if reports:
        right = sum(verdict(*pair) == "right" and has_remedy(*pair) for pair in reports)
        yield _share("first cause and a remedy right", right, len(reports))
        yield _share("a right remedy", sum(has_remedy(*pair) for pair in reports), len(reports))
        complete = sum(not examination.unsaid for _, examination in reports)
        yield _share("what has to be named is", complete, len(reports))
    lines = sum(examination.line_is_right for _, examination in pairs)
    yield _share("the failing line is right", lines, len(pairs))
    offers = sum(len(examination.remedies) for _, examination in pairs)
    yield _share("useless of what was offered", sum(len(useless(*each)) for each in pairs), offers)
    edits = [trial for _, examination in pairs for trial in examination.edits]
    yield _share("edits after which the cell passes", sum(e.passes for e in edits), len(edits))
    curable = [(notebook, each) for notebook, each in pairs if notebook.one_edit]
    cures = sum(any(trial.passes for trial in each.edits) for _, each in curable)
    yield _share("an edit that cures, where one would do", cures, len(curable))
    helpful = sum(_is_offered(each) for _, each in pairs)
    yield _share("offered: an edit, a suggestion or a release", helpful, len(pairs))
    close = [each for each in map(is_close, edits) if each is not None]
    yield _share("promised bytes within 20 %, or at least", sum(close), len(close))
    qualities = ("estimated", "at_least")
    sizes = [e for e in edits if e.remedy == "smaller-batch" and e.quality in qualities]
    largest = sum(e.passes and e.larger_passes is not True for e in sizes)
    yield _share("the batch proposed is the largest that passes", largest, len(sizes))


def _is_offered(examination: Examination) -> bool:
    """Whether there is a remedy beside another GPU and what only saves the training."""
    names = {name for name, kind in examination.remedies if kind != "save"}
    return bool(names - {"larger-gpu", "other-gpu"})


def _is_named(notebook: SeededNotebook, examination: Examination) -> bool:
    return verdict(notebook, examination) == "right" or notebook.cause in examination.further


def _row(notebook: SeededNotebook, examination: Examination) -> Sequence[str]:
    label = verdict(notebook, examination)
    first = f"`{examination.first}`" if examination.first else "nothing"
    suggestions = [n for n, kind in examination.remedies if kind == "suggestion"]
    mark = "" if not notebook.one_edit else "suggested" if suggestions else "**none**"
    return (
        f"`{notebook.name}`",
        notebook.title + (f" ({_origin(notebook.origin)})" if notebook.origin else ""),
        f"`{notebook.cause}`",
        first if label == "right" else f"{first}, **{label}**",
        ", ".join(f"`{cause}`" for cause in examination.further),
        "; ".join(useless(notebook, examination)),
        ", ".join(map(_edit, examination.edits)) or mark,
        _freed(examination),
    )


def _report_row(notebook: SeededNotebook, examination: Examination) -> Sequence[str]:
    name, title, cause, first, further, faults, edits, _ = _row(notebook, examination)
    helps = ", ".join(examination.helping) if has_remedy(notebook, examination) else "**none**"
    unsaid = ", ".join(f"`{pattern}`" for pattern in examination.unsaid).replace("|", " or ")
    title = f"[{title}]({notebook.source})"
    return name, title, cause, first, further, helps, unsaid, faults, edits


def _origin(origin: Origin) -> str:
    return f"`{origin.repository}` {origin.commit[:7]} `{origin.file}`"


def _edit(trial: EditTrial) -> str:
    promise = "" if trial.promised_bytes is None else f" {trial.promised_bytes / GIB:.2f}"
    saving = "" if trial.saved_bytes is None else f" of {trial.saved_bytes / GIB:.2f} GiB"
    peak = trial.saved_of_peak_bytes
    return f"{trial.remedy}{promise}{saving}{'' if peak is None else f' ({peak / GIB:.2f})'}"


def _freed(examination: Examination) -> str:
    if examination.passes_after_free:
        return "passes"
    return "safe set" if examination.passes_after_safe_set else ""


def _share(what: str, count: int, total: int) -> Sequence[str]:
    if not total:
        return what, "not measured", ""
    return what, f"{count} of {total}", f"{count / total:.0%}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
