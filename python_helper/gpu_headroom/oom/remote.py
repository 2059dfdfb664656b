"""Evidence of a failure in another process: its error, and the code that ran there.

None of its memory is measured. The code of a worker is in the cells with its functions; the code of
a process that a command has started is the script, the script's imports, and the command.
"""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath
from types import FunctionType
from typing import TYPE_CHECKING

from ..code.batch import OTHER_PHASE, Code, named_batch, size_literals
from ..code.beside import beside
from ..code.command import COMMAND, as_run
from ..concurrency.other_threads import kind_of_file
from ..concurrency.turns import TimeLimitError
from ..errors.remote import RemoteWorker
from ..holders.inspector import Inspector
from ..holders.live import live
from ..holders.names import user_names
from .evidence import as_said, notebook_of
from .failing_line import in_cells, steps_of, up_to_model
from .files import MOST, SETTINGS
from .running import Running
from .scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..cells.runs import CellRun
    from ..code.literals import SizeLiteral
    from ..code.size_names import Role
    from ..concurrency.turns import Turn
    from .evidence import Evidence
    from .failing_line import Step
    from .failure import Failure

_STEP = re.compile(
    r'File (?:"([^"\n]{1,1000})", line |((?:[A-Za-z]:)?[^\s":][^\n":]{0,1000}):)'
    r"(\d{1,9}), in ([\w.<>]{1,200})"
)
_SENT = "<dynamic-code>"
_FORWARD = "forward"  # the line that calls the model says more
_ROLES: tuple[Role, ...] = ("batch", "unnamed", "other")
_IMPORTS = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w.]{1,200})", re.MULTILINE)


def of_worker(failure: Failure, turn: Turn, batch: object = None, fits: object = None) -> Evidence:
    """Return the evidence of a worker's failure; a function sent there keeps its cell's name.

    `batch` is the position of the number that scales the memory, from the worker's measurements:
    cell key, line, column. `fits` is the value that should fit.
    """
    recognition, cell = failure.recognition, failure.cell
    recognition = replace(recognition, worker=recognition.worker or RemoteWorker("process"))
    base = as_said(replace(failure, recognition=recognition))
    inner, names = recognition.error, user_names(failure.shell)
    steps = [
        *steps_of(failure.error),
        *(steps_of(inner) if inner is not failure.error else ()),
        *steps_in(recognition.traceback),
    ]
    steps = [(_file(names.get(name), file), line, name) for file, line, name in steps]
    cells = (*failure.cells[:-1], cell)
    origins = [place for place in in_cells(steps, cells) if place[2] != _FORWARD]
    if not origins:
        return base
    evidence = replace(
        base,
        failure=replace(base.failure, cells=failure.cells),
        scene=Scene(
            line=base.scene.line,
            running=_running(name for *_, name in steps),
            steps=tuple([(run, line) for run, line, _ in in_cells(up_to_model(steps), cells)]),
            origin=origins[-1],
        ),
    )
    evidence = replace(evidence, notebook=notebook_of(evidence.failure, evidence.scene))
    with suppress(TimeLimitError):
        literals = size_literals(_ROLES, (*failure.cells, cell), names)
        number = named_batch(literals, cell)
        if batch is not None:
            places = (
                (literal, [literal.cell.key, literal.line, literal.column]) for literal in literals
            )
            number = next((line_number for line_number, place in places if place == batch), None)
        facts = live(names, Inspector(turn))
        evidence = replace(evidence, live=facts, batch=number, fitting_batch=_fitting(fits))
    return evidence


def _file(function: object, file: str) -> str:
    """Return where a step is; one that cloudpickle sent without its file has that of its name."""
    if file == _SENT and type(function) is FunctionType:
        return function.__code__.co_filename
    return file


def steps_in(text: str) -> Iterator[Step]:
    """Yield the steps of a traceback's text, as Python and as IPython print them."""
    for match in _STEP.finditer(text):
        yield match[1] or match[2], int(match[3]), match[4]


def _running(names: Iterable[str]) -> Running:
    return Running(trains=not any(OTHER_PHASE.search(name) for name in names))


def of_command(
    failure: Failure, traceback: str, batch: object = None, fits: object = None
) -> Evidence:
    """Return the evidence of another process's failure, from its text and the code that ran.

    Only files in the working folder count that have not changed since the cell started. `batch`
    and `fits` are the measurements of the process, if it made any: see `of_worker`.
    """
    cell, base = failure.cell, as_said(failure)
    all_steps = list(steps_in(traceback))
    steps = [
        (file, line or 1)
        for path, line, _ in up_to_model(all_steps)
        if kind_of_file(path) == "own" and (file := _as_it_ran(path, cell))
    ]
    files = _with_imported([file for file, _ in steps], cell)
    source = as_run(cell.source, PurePath(files[0].key).name) if files else ""
    if not source:
        return base
    read = replace(cell, source=source)
    places = [(read, n) for n, is_read in enumerate(source.split("\n"), 1) if is_read]
    evidence = replace(
        base,
        failure=replace(base.failure, cells=failure.cells),
        scene=Scene(
            line=places[0][1],
            running=_running(name for *_, name in all_steps),
            steps=(*places, *steps),
            files=tuple(files),
        ),
    )
    notebook = notebook_of(evidence.failure, evidence.scene)
    evidence = replace(evidence, notebook=notebook)
    literals = _batches(evidence, read)
    if type(batch) is list:
        number = next((literal for literal in literals if _is_at(literal, batch)), None)
    else:
        number = named_batch(literals, read)
    return replace(evidence, batch=number, fitting_batch=_fitting(fits))


def _is_at(literal: SizeLiteral, place: list[object]) -> bool:
    """Whether the process that has read this number means it: its command is a cell without one."""
    path = literal.cell.path
    if path is None:
        return place[:1] == [COMMAND]
    return place == [path, literal.line, literal.column]


def _fitting(fits: object) -> int | None:
    return fits if type(fits) is int and fits > 0 else None


def _as_it_ran(path: str, cell: CellRun) -> CellRun | None:
    file = beside(path)
    return file if file is not None and file.start_s <= cell.start_s else None


def _with_imported(files: list[CellRun], cell: CellRun) -> list[CellRun]:
    """Return files, each once, and those beside the first that they import, or read settings of."""
    by_key = {run.key: run for run in files}
    for file in files:  # it grows meanwhile
        folder = PurePath(files[0].filename or "").parent
        modules = [
            f"{folder / names.replace('.', '/')}.py" for names in _IMPORTS.findall(file.source)
        ]
        for path in (*modules, *SETTINGS.findall(file.source)):
            more = _as_it_ran(path, cell) if len(by_key) < MOST else None
            if more is not None and more.key not in by_key:
                by_key[more.key] = more
                files.append(more)
    return list(by_key.values())


def _batches(evidence: Evidence, read: CellRun) -> list[SizeLiteral]:
    """Return the numbers of the command, and of the files that ran.

    Those of an option only where a file reads it, and its default where no command gives it.
    """
    files, code = evidence.scene.files, Code(evidence.scene.files)
    given = tuple(code.given(read.source))
    nodes = [node for file in evidence.notebook.files for node in file.nodes]
    reads = {getattr(node, "attr", getattr(node, "id", None)) for node in nodes}
    reads |= {
        getattr(node.slice, "value", None) for node in nodes if isinstance(node, ast.Subscript)
    }
    return [
        size_literal
        for size_literal in size_literals(_ROLES, (*files, read), {}, code)
        if size_literal.parameter is None
        or size_literal.kind not in ("option", "text")
        or size_literal.name in reads
        if size_literal.kind != "option" or not size_literal.name.startswith(given)
    ]
