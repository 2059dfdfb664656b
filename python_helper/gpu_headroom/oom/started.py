"""What the text of a process says of its failure that a command of a cell has started.

Nothing of its memory can be measured. Its code can be read: the script, what this imports, and the
command.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..code.batch import OTHER_PHASE, Code
from ..code.beside import beside
from ..code.command import as_run
from ..code.facts import Live
from ..code.gate import Gate
from ..code.notebook import Notebook
from ..concurrency.other_threads import kind_of_file
from .evidence import as_said, notebook_of
from .failing_line import CALLS_MODEL
from .files import MOST, SETTINGS
from .running import Running
from .scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..cells.runs import CellRun
    from ..code.literals import SizeLiteral
    from .evidence import Evidence
    from .failure import Failure

_STEP = re.compile(r'File "([^"\n]{1,1000})", line (\d{1,9}), in (\S{1,200})')
_IMPORTS = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w.]{1,200})", re.MULTILINE)


def as_started(failure: Failure, traceback: str) -> Evidence:
    """Return what is known of the failure of a process by its text, and by the code that ran.

    Files count that lie here and are as they were when the cell began.
    """
    cell, said = failure.cell, as_said(failure)
    found = _STEP.findall(traceback)
    steps = [
        (file, int(line))
        for path, line, _ in takewhile(lambda each: each[2] not in CALLS_MODEL, found)
        if kind_of_file(path) == "own" and (file := _as_it_ran(path, cell))
    ]
    files = _with_imported([file for file, _ in steps], cell)
    source = as_run(cell.source, PurePath(files[0].key).name) if files else ""
    if not source:
        return said
    read = replace(cell, source=source)
    places = [(read, n) for n, each in enumerate(source.split("\n"), 1) if each]
    known = replace(
        said,
        failure=replace(said.failure, cells=failure.cells),
        scene=Scene(
            line=places[0][1],
            running=Running(trains=not any(OTHER_PHASE.search(name) for *_, name in found)),
            steps=(*places, *steps),
            files=tuple(files),
        ),
    )
    gate = Gate(notebook_of(known.failure, known.scene), Live())
    return replace(known, gate=gate, batch=next(_batches(known, read), None))


def _as_it_ran(path: str, cell: CellRun) -> CellRun | None:
    file = beside(path)
    return file if file is not None and file.start_s <= cell.start_s else None


def _with_imported(files: list[CellRun], cell: CellRun) -> list[CellRun]:
    """Return files, each once, and those beside the first that they import, or read settings of."""
    found = {run.key: run for run in files}
    for file in files:  # it grows meanwhile
        folder = PurePath(files[0].filename or "").parent
        modules = [
            f"{folder / each.replace('.', '/')}.py" for each in _IMPORTS.findall(file.source)
        ]
        for path in (*modules, *SETTINGS.findall(file.source)):
            more = _as_it_ran(path, cell) if len(found) < MOST else None
            if more is not None and more.key not in found:
                found[more.key] = more
                files.append(more)
    return list(found.values())


def _batches(evidence: Evidence, read: CellRun) -> Iterator[SizeLiteral]:
    """Yield the numbers that the failing loop's loader has, those of the command first.

    What is the default of an option counts only where the command does not give it.
    """
    files = evidence.scene.files
    code, notebook = Code(files), Notebook.of([(read.key, read.source)], files=files)
    reached = evidence.way.numbers([*notebook.files, *notebook.cells])
    given = code.given(read.source)
    for part in (read, *files):
        for literal in (*code.literals(part), *code.literals(part, "unnamed")):
            is_given = any(literal.name.startswith(each) for each in given)
            if reached.has(literal) and not (literal.kind == "option" and is_given):
                yield literal
