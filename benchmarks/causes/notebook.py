r"""A notebook with a seeded cause: a file of cells with a header that says what is wrong in it.

The header is the comment before the first `# %%`: a line that says what it is, then lines of
`key: value`.

`cause`   the cause that a knowing colleague would name first
`also`    causes that are true besides and may follow
`what`    where the cause is `activations`: what of the input scales the memory
`edit`    `yes` where one line, or one small edit, cures it
`remedy`  the remedies that a colleague would give, each of which is good; the best first
`card`    the size of the simulated card, and after `outside` what others use of it
`run`     the numbers of the cells in the order of running; `!` after one that runs out of
          memory, `?` after one that fails by another error. Where it is left out: each once,
          the last of which fails
`fails`   the text of the line in the last cell of `run` that does not get its memory
`cure`    `old text => new text`, as often as needed: edits of the person's after which the
          notebook passes, which proves the label. `\n` stands for a new line
`needs`   `libraries` where it needs the environment of that name
`source`  the thread or page whose shape it has
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.causes.vocabulary import CAUSES, REMEDIES, SCALES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = Path(__file__).with_name("notebooks")
_CELL = re.compile(r"^# %%.*\n", re.MULTILINE)
_KEYS = re.compile(r"^# (?P<key>[a-z]+): +(?P<value>.+)$", re.MULTILINE)
_CURES = re.compile(r"^# cure: +(.+)$", re.MULTILINE)
_REQUIRED = frozenset({"cause", "edit", "remedy", "card", "fails", "source"})
_OPTIONAL = frozenset({"also", "what", "run", "needs", "cure"})
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
    card: str
    outside: str
    steps: tuple[Step, ...]
    fails: str
    needs_libraries: bool
    source: str
    cures: tuple[tuple[str, str], ...]

    @property
    def sources(self) -> dict[str, str]:
        """The cells by their ids."""
        return {cell_id(n): source for n, source in enumerate(self.cells, 1)}

    @property
    def cured_sources(self) -> dict[str, str]:
        """The cells after the edits that the header names."""
        cured = dict(self.sources)
        for old, new in self.cures:
            cured = {own_id: text.replace(old, new) for own_id, text in cured.items()}
        return cured


def cell_id(number: int) -> str:
    """Return the id of a cell, counted from 1."""
    return f"cell-{number}"


def read(path: Path) -> SeededNotebook:
    """Read a notebook; raises `HeaderError` where its header is not what it should be."""
    header, *cells = _CELL.split(path.read_text(encoding="utf-8"))
    title = header.partition("\n")[0].removeprefix("#").strip()
    keys = {each["key"]: each["value"].strip() for each in _KEYS.finditer(header)}
    missing, unknown = _REQUIRED - keys.keys(), keys.keys() - _REQUIRED - _OPTIONAL
    if missing or unknown or not title:
        raise HeaderError(f"{path.name}: missing {sorted(missing)}, unknown {sorted(unknown)}")
    card, _, outside = keys["card"].partition(" outside ")
    notebook = SeededNotebook(
        name=path.stem,
        title=title,
        cells=tuple(cell.strip("\n") for cell in cells),
        cause=keys["cause"],
        also=_listed(keys, "also"),
        what=keys.get("what"),
        one_edit={"yes": True, "no": False}[keys["edit"]],
        remedies=_listed(keys, "remedy"),
        card=card.strip(),
        outside=outside.strip() or _CONTEXT,
        steps=_steps(keys.get("run"), len(cells)),
        fails=keys["fails"],
        needs_libraries=keys.get("needs") == "libraries",
        source=keys["source"],
        cures=tuple(
            (old.replace("\\n", "\n"), new.replace("\\n", "\n"))
            for old, _, new in (each.partition(" => ") for each in _CURES.findall(header))
        ),
    )
    _check(notebook)
    return notebook


def read_all(names: Sequence[str] = ()) -> list[SeededNotebook]:
    """Read all notebooks, or those of these names."""
    paths = sorted(FOLDER.glob("*.py"))
    missing = set(names) - {path.stem for path in paths}
    if missing:
        raise SystemExit(f"no such notebooks: {', '.join(sorted(missing))}")
    return [read(path) for path in paths if not names or path.stem in names]


def _listed(keys: Mapping[str, str], key: str) -> tuple[str, ...]:
    return tuple(keys.get(key, "").replace(",", " ").split())


def _steps(run: str | None, cells: int) -> tuple[Step, ...]:
    marks = {"": "ok", "!": "out of memory", "?": "error"}
    if run is None:
        ends = ["ok"] * (cells - 1) + ["out of memory"]
        return tuple(Step(n, end) for n, end in enumerate(ends, 1))
    found = (re.fullmatch(r"(\d+)([!?]?)", each) for each in run.split())
    return tuple(Step(int(each[1]), marks[each[2]]) for each in found if each)


def _check(notebook: SeededNotebook) -> None:
    last = notebook.steps[-1]
    faults = {
        "a cause without an id": {notebook.cause, *notebook.also} <= CAUSES,
        "a remedy without an id": set(notebook.remedies) <= REMEDIES,
        "`what` is for activations": (notebook.cause == "activations")
        == (notebook.what is not None),
        "nothing scales so": notebook.what is None or notebook.what in SCALES,
        "the last run does not fail": last.ends == "out of memory",
        "the failing cell has no such line": notebook.fails in notebook.cells[last.cell - 1],
        "one edit cures it, but none is named": bool(notebook.cures) >= notebook.one_edit,
        "a cure does not match once": all(
            "\n".join(notebook.cells).count(old) == 1 for old, _ in notebook.cures
        ),
        "a cell that is not there": all(
            1 <= each.cell <= len(notebook.cells) for each in notebook.steps
        ),
    }
    wrong = [fault for fault, is_right in faults.items() if not is_right]
    if wrong:
        raise HeaderError(f"{notebook.name}: {'; '.join(wrong)}")
