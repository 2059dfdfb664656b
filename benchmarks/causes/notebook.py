r"""A notebook with a seeded cause: a file of cells with a header that says what is wrong in it.

The header is the comment before the first `# %%`: a line that says what it is, then lines of
`key: value`.

`cause`   the cause that a knowing colleague would name first
`also`    causes that are true besides and may follow
`what`    where the cause is `activations`: what of the input scales the memory
`edit`    `yes` where one line, or one small edit, cures it
`remedy`  the remedies that a colleague would give, each of which is good; the best first
`gpu`    the size of the simulated GPU, and after `outside` what others use of it
`run`     the numbers of the cells in the order of running; `!` after one that runs out of
          memory, `?` after one that fails by another error. Where it is left out: each once,
          the last of which fails
`fails`   the text of the line in the last cell of `run` that does not get its memory
`cure`    `old text => new text`, as often as needed: edits of the person's after which the
          notebook passes, which checks the label. `\n` stands for a new line
`needs`   `libraries` where it needs the environment of that name
`source`  the thread or page whose shape it has

Reports, in `reports/`, stand in Markdown, several in a file of one kind of library: a heading with
the name above a block of Python that is such a notebook. A block whose info string also has a path
is a module of a library that is not installed: it is laid into a `site-packages` for all reports
of its file. Their headers say further, and what helped the person there decides:

`or`       causes that are as right to be named first
`helps`    a pattern that the text of a right remedy matches, whatever its id is
`useless`  ids of what does not help here, or changes what the person wants
`says`     a pattern that a sentence or a holder's name of the report matches; as often as needed

Where the cause is `host-memory`, no report is right; where it is `caught-errors`, a warning is.

A recipe, in `public/`, is a notebook of a public repository; nothing but its data is replaced.
It names what it takes, and its header has these in place of `source`:

`from`    `owner/name@commit path`: a notebook, or a script
`files`   a folder of that repository, `.` for all of it, whose Python files lie beside the notebook
`change`  `old text => new text`: a number that is raised, or a line that this place cannot run,
          in the cells that are taken, or else in the script that lies beside the notebook

Its cells of code are taken by `# %% theirs`: `# %% theirs 3-5 8` is four cells, those with these
numbers, counted from 1; `# %% theirs 3 without 1 4-6` leaves out lines; a script is one cell.
`fails` may be `3:12`, line 12 of their cell 3. Its `cure` may stand in the script as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.causes.sources import Origin
from benchmarks.causes.vocabulary import CAUSES, REMEDIES, SCALES, WITHOUT_REPORT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.causes.sources import Sources

FOLDER = Path(__file__).with_name("notebooks")
RECIPES = Path(__file__).with_name("public")
REPORTS = Path(__file__).with_name("reports")
_CELL = re.compile(r"^# %%(.*)\n", re.MULTILINE)
_THEIRS = re.compile(r" theirs(?P<cells>[\d -]*)(?: without (?P<lines>[\d -]+))?")
_PLACE = re.compile(r"(?P<cell>\d+):(?P<line>\d+)")
_KEYS = re.compile(r"^# (?P<key>[a-z]+): +(?P<value>.+)$", re.MULTILINE)
_CHANGES = re.compile(r"^# (?P<key>cure|change): +(?P<old>.+?) => (?P<new>.*)$", re.MULTILINE)
_SAYS = re.compile(r"^# says: +(.+)$", re.MULTILINE)
_REPORT = re.compile(r"^## (?P<name>\w+)\n+```python\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_MODULE = re.compile(r"^```python (?P<path>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_REQUIRED = frozenset({"cause", "edit", "remedy", "gpu", "fails"})
_OPTIONAL = frozenset({"also", "what", "run", "needs", "cure", "from", "files", "change"})
_OF_REPORTS = frozenset({"or", "helps", "useless", "says"})
_CONTEXT = "420 MiB"


class HeaderError(ValueError):
    """A header that does not say what it has to."""


@dataclass(frozen=True)
class Step:
    """One run of one cell, and how it ends: `ok`, `out of memory` or `error`."""

    cell: int
    ends: str


@dataclass(frozen=True)
class SeededNotebook:
    """The cells of a notebook, and what its header says."""

    name: str
    title: str
    cells: tuple[str, ...]
    cause: str
    also: tuple[str, ...]
    what: str | None
    one_edit: bool
    remedies: tuple[str, ...]
    gpu: str
    outside: str
    steps: tuple[Step, ...]
    fails: str
    needs_libraries: bool
    source: str
    cures: tuple[tuple[str, str], ...]
    origin: Origin | None = None
    files: str | None = None
    changes: tuple[tuple[str, str], ...] = ()
    is_here: bool = True
    """Whether its cells are; those of a recipe are somewhere else."""
    is_report: bool = False
    as_right: tuple[str, ...] = ()
    helps: str | None = None
    useless: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    """Paths and texts of stand-ins for libraries."""

    @property
    def sources(self) -> dict[str, str]:
        """The cells by their ids."""
        return {cell_id(n): source for n, source in enumerate(self.cells, 1)}

    @property
    def cured_sources(self) -> dict[str, str]:
        """The cells after the edits that the header names."""
        return changed(self.sources, self.cures)


def cell_id(number: int) -> str:
    """Return the id of a cell, counted from 1."""
    return f"cell-{number}"


def read(path: Path, sources: Sources | None = None) -> SeededNotebook:
    """Read a notebook; raises `HeaderError` where its header is not what it should be.

    Without the checkouts that it takes them from, a recipe has no cells.
    """
    return _notebook(path.stem, path.read_text(encoding="utf-8"), sources)


def read_reports(path: Path) -> list[SeededNotebook]:
    """Read the reports of a file; raises `HeaderError`."""
    text = path.read_text(encoding="utf-8")
    modules = tuple((match["path"], match["text"]) for match in _MODULE.finditer(text))
    return [
        replace(_notebook(match["name"], match["text"], None, is_report=True), modules=modules)
        for match in _REPORT.finditer(text)
    ]


def _notebook(
    name: str, text: str, sources: Sources | None, *, is_report: bool = False
) -> SeededNotebook:
    header, *parts = _CELL.split(text)
    title = header.partition("\n")[0].removeprefix("#").strip()
    keys = {each["key"]: each["value"].strip() for each in _KEYS.finditer(header)}
    one_of = {"source", "from"}
    valid = _REQUIRED | _OPTIONAL | one_of | (_OF_REPORTS if is_report else frozenset())
    missing, unknown = _REQUIRED - keys.keys(), keys.keys() - valid
    if missing or unknown or not title or not one_of & keys.keys():
        raise HeaderError(f"{name}: missing {sorted(missing)}, unknown {sorted(unknown)}")
    gpu, _, outside = keys["gpu"].partition(" outside ")
    cells = tuple(cell.strip("\n") for cell in parts[1::2])
    notebook = SeededNotebook(
        name=name,
        title=title,
        cells=cells,
        cause=keys["cause"],
        also=_words(keys, "also"),
        what=keys.get("what"),
        one_edit={"yes": True, "no": False}[keys["edit"]],
        remedies=_words(keys, "remedy"),
        gpu=gpu.strip(),
        outside=outside.strip() or _CONTEXT,
        steps=_steps(keys.get("run"), len(cells)),
        fails=keys["fails"],
        needs_libraries=keys.get("needs") == "libraries",
        source=keys.get("source", keys.get("from", "")),
        cures=_changes(header, "cure"),
        origin=Origin.read(keys["from"]) if "from" in keys else None,
        files=keys.get("files"),
        changes=_changes(header, "change"),
        is_report=is_report,
        as_right=_words(keys, "or"),
        helps=keys.get("helps"),
        useless=_words(keys, "useless"),
        says=tuple(_SAYS.findall(header)),
    )
    if notebook.origin:
        if not (sources and sources.has(notebook.origin)):
            return replace(notebook, is_here=False)
        theirs = sources.cells(notebook.origin)
        cells = tuple(_cells(parts[::2], cells, theirs))
        place = _PLACE.fullmatch(notebook.fails)
        fails = theirs[int(place["cell"]) - 1].splitlines()[int(place["line"]) - 1] if place else ""
        notebook = replace(
            notebook,
            cells=tuple(changed({"": each}, notebook.changes)[""] for each in cells),
            steps=_steps(keys.get("run"), len(cells)),
            fails=changed({"": fails.strip()}, notebook.changes)[""] or notebook.fails,
        )
    _check(notebook)
    return notebook


def read_all(names: Sequence[str] = (), sources: Sources | None = None) -> list[SeededNotebook]:
    """Read all notebooks, recipes and reports, or those of these names or folders."""
    paths = [*sorted(FOLDER.glob("*.py")), *sorted(RECIPES.glob("*.py"))]
    notebooks = [read(path, sources) for path in paths if _is_requested(path, names)]
    reports = [report for path in sorted(REPORTS.glob("*.md")) for report in read_reports(path)]
    missing = set(names) - {path.stem for path in paths} - {report.name for report in reports}
    if missing - {path.name for path in (FOLDER, RECIPES, REPORTS)}:
        raise SystemExit(f"no such notebooks: {', '.join(sorted(missing))}")
    is_all = not names or REPORTS.name in names
    return notebooks + [report for report in reports if is_all or report.name in names]


def _is_requested(path: Path, names: Sequence[str]) -> bool:
    return not names or path.stem in names or path.parent.name in names


def changed(texts: Mapping[str, str], changes: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the texts after these changes."""
    result = dict(texts)
    for old, new in changes:
        result = {key: text.replace(old, new) for key, text in result.items()}
    return result


def _changes(header: str, key: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (match["old"].replace("\\n", "\n"), match["new"].replace("\\n", "\n"))
        for match in _CHANGES.finditer(header)
        if match["key"] == key
    )


def _cells(marks: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Iterator[str]:
    """Yield the cells of a recipe: its own, and those of the others that it names."""
    for mark, own in zip(marks, ours, strict=True):
        match = _THEIRS.fullmatch(mark)
        if not match:
            yield own
            continue
        left_out = set(_numbers(match["lines"] or ""))
        for number in _numbers(match["cells"]) or [1]:
            lines = theirs[number - 1].strip("\n").split("\n")
            yield "\n".join(line for n, line in enumerate(lines, 1) if n not in left_out)


def _numbers(text: str) -> list[int]:
    """Return the numbers of `1 4-6`."""
    spans = (part.split("-") for part in text.split())
    return [n for span in spans for n in range(int(span[0]), int(span[-1]) + 1)]


def _words(keys: Mapping[str, str], key: str) -> tuple[str, ...]:
    return tuple(keys.get(key, "").replace(",", " ").split())


def _steps(run: str | None, cells: int) -> tuple[Step, ...]:
    marks = {"": "ok", "!": "out of memory", "?": "error"}
    if run is None:
        ends = ["ok"] * (cells - 1) + ["out of memory"]
        return tuple(Step(n, end) for n, end in enumerate(ends, 1))
    matches = (re.fullmatch(r"(\d+)([!?]?)", each) for each in run.split())
    return tuple(Step(int(each[1]), marks[each[2]]) for each in matches if each)


def _check(notebook: SeededNotebook) -> None:
    last = notebook.steps[-1]
    faults = {
        "a cause without an id": {notebook.cause, *notebook.also, *notebook.as_right} <= CAUSES,
        "a remedy without an id": set(notebook.remedies) <= REMEDIES,
        "`what` is for activations": (notebook.cause == "activations")
        == (notebook.what is not None),
        "nothing scales so": notebook.what is None or notebook.what in SCALES,
        "the last run does not fail": (last.ends == "out of memory")
        == (notebook.cause not in WITHOUT_REPORT),
        "the failing cell has no such line": notebook.fails in notebook.cells[last.cell - 1],
        "one edit cures it, but none is named": bool(notebook.cures) >= notebook.one_edit,
        "a cure does not match once": bool(notebook.files)
        or all("\n".join(notebook.cells).count(old) == 1 for old, _ in notebook.cures),
        "a cell that is not there": all(
            1 <= step.cell <= len(notebook.cells) for step in notebook.steps
        ),
    }
    wrong = [fault for fault, is_right in faults.items() if not is_right]
    if wrong:
        raise HeaderError(f"{notebook.name}: {'; '.join(wrong)}")
