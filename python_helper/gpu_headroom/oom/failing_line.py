"""Position of a failure: the line of the cell, and whether it was in a backward pass.

IPython compiles a cell without its leading blank lines, and joins the lines of a continued magic.
Line numbers here are those that the notebook shows.
"""

from __future__ import annotations

import ast
import linecache
import re
from itertools import dropwhile, islice, takewhile
from os.path import realpath
from traceback import walk_tb
from typing import TYPE_CHECKING

from ..code.parsing import LONGEST, parse_cell
from ..code.reading import walk
from ..concurrency.other_threads import kind_of_file
from ..holders.frames import is_installed
from ..inspection.kinds import top_of
from ..own import OURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

    from ..cells.runs import CellRun

    Step = tuple[str, int | None, str]
    Place = tuple[CellRun, int, str]

CALLS_MODEL = ("_call_impl", "_wrapped_call_impl")
_TIMED = re.compile(r"\s*%%time\b[^\n]*\n")  # compiled by the magic, under a name of its own
_TIMED_NAMES = ("<timed exec>", "<timed eval>")


def failing_line(error: BaseException, cell: CellRun) -> int | None:
    """Return the 1-based line of `cell` that failed, the innermost of its frames.

    `None` also where the cell is too long to be looked through.
    """
    innermost, files = None, dict[str, list[str]]()
    for frame, number in walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name not in files:
            files[name] = _compiled(name, cell)
        if number and 1 <= number <= len(files[name]):  # Python's own steps have no line
            innermost = number, files[name]
    return innermost and _shown_line(*innermost, cell.source.splitlines())


def failed_in_backward(error: BaseException) -> bool:
    """Whether a backward pass was running; not where checkpointing computes forward in it."""
    names = [
        frame.f_code.co_name
        for frame, _ in walk_tb(error.__traceback__)
        if top_of(frame.f_globals.get("__name__")) == "torch"
    ]
    goes_back = any(name in names for name in ("backward", "_engine_run_backward"))
    return goes_back and not any(name in names for name in ("recompute_fn", "unpack_hook"))


def up_to_model(steps: Iterable[Step]) -> Iterable[Step]:
    """Return the steps before the first that calls a model."""
    return takewhile(lambda step: step[2] not in CALLS_MODEL, steps)


def steps_of(error: BaseException) -> Iterator[Step]:
    """Yield the steps of an error's traceback, outermost first."""
    for frame, number in walk_tb(error.__traceback__):
        yield frame.f_code.co_filename, number, frame.f_code.co_name


def in_cells(steps: Iterable[Step], cells: Sequence[CellRun]) -> Iterator[Place]:
    """Yield cells, lines and functions that ran, outermost first."""
    files = dict[str, tuple["CellRun", list[str]] | None]()
    for name, number, function in steps:
        if name not in files:
            full = realpath(name)  # as files beside the notebook are named
            names = ((run, full if run.path else name) for run in reversed(cells))
            texts = ((run, _compiled(file, run)) for run, file in names)
            files[name] = next(((run, text) for run, text in texts if text), None)
        here = files[name]
        if here is not None and number and number <= len(here[1]):
            cell, text = here
            yield cell, _shown_line(number, text, cell.source.splitlines()), function


def innermost(error: BaseException, *, own: bool = False) -> TracebackType | None:
    """Return the innermost step of an error, or of the person's `own` code.

    Those of ours, as inside the simulated GPU, are none.
    """
    step, traceback = error.__traceback__, None
    while step is not None:
        frame = step.tb_frame
        ours = top_of(frame.f_globals.get("__name__")) in OURS
        if not ours and not (own and is_installed(frame)):
            traceback = step
        step = step.tb_next
    return traceback


def is_last_step(error: BaseException, cell: CellRun) -> bool:
    """Whether an error comes from the last statement of a cell, by no function of Python's.

    A statement with one call: what is made in the course of a longer one is not all it makes.
    """
    step = innermost(error)
    if step is None or step.tb_frame.f_code.co_name != "<module>":
        return False
    tree = parse_cell("".join(_compiled(step.tb_frame.f_code.co_filename, cell)))
    last = tree.body[-1] if tree is not None and tree.body else None
    if not isinstance(last, (ast.Assign, ast.Expr)) or step.tb_lineno < last.lineno:
        return False
    return sum(_computes(node) for node in walk(last)) == 1


def _computes(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return any(isinstance(child, ast.Name) for child in walk(node))
    return isinstance(node, ast.Call)


def _compiled(filename: str, cell: CellRun) -> list[str]:
    """Return the lines of this cell that were compiled as `filename`, none if it is not of it.

    IPython names each cell's code; where the name is not known the source tells, and so it
    does for the body of a cell magic that runs it as a cell of its own. No lines of a cell that is
    too long to be looked through.
    """
    if len(cell.source) > LONGEST:
        return []
    if cell.path is not None:
        return cell.source.splitlines() if filename == cell.filename else []
    if filename in _TIMED_NAMES:
        magic = _TIMED.match(cell.source)
        return _without_leading_blanks(cell.source[magic.end() :]) if magic else []
    entry = linecache.cache.get(filename)
    lines = [] if entry is None or len(entry) == 1 else entry[2]
    may_be = kind_of_file(filename) == "own" and len(lines) <= len(cell.source)
    text = "".join(lines).strip() if may_be else ""
    if filename == cell.filename or (text and cell.source.rstrip().endswith(text)):
        return lines or _without_leading_blanks(cell.source)
    return []


def _without_leading_blanks(source: str) -> list[str]:
    return list(dropwhile(lambda line: not line.strip(), source.splitlines()))


def _shown_line(number: int, compiled: Sequence[str], shown: Sequence[str]) -> int:
    """Return the line of the cell that became line `number` of what was compiled.

    Behind the last magic lines are alike, counted from the end. Up to there each line became
    one, or a magic with the lines that it is continued on, which looks otherwise then.
    """
    one, other = _stripped(compiled), _stripped(shown)
    behind = len(one) - number
    pairs = islice(zip(reversed(one), reversed(other), strict=False), max(behind, 0) + 1)
    if sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) > behind >= 0:
        return len(other) - behind
    at = next((n for n, line in enumerate(other) if line), 0)
    for line in one[: number - 1]:
        while at < len(other) and other[at] != line and other[at].endswith("\\"):
            at += 1
        at += 1
    return min(at + 1, len(other))


def _stripped(lines: Sequence[str]) -> list[str]:
    """Return lines without what is blank around them, and no blank ones at the end."""
    return "\n".join([line.strip() for line in lines]).rstrip().split("\n")
