"""Errors of a full GPU that a cell caught: how many attempts, and what filled it at the first."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..code.parsing import parse_cell
from ..code.rounds import LOOP, spans
from ..oom.failing_line import in_cells
from ..oom.failure_memory import from_capture
from ..text.messages import message

if TYPE_CHECKING:
    from ..cells.runs import CellRun
    from ..frameworks.torch.observer import Capture
    from ..protocol.wire import Message
    from ..readings.snapshot import DeviceReading


def said_of(
    run: CellRun, count: int, first: Capture | None, device: DeviceReading | None
) -> Message:
    """Return the warning of a cell that caught `count` errors, the `first` of them as captured."""
    line = None if first is None else _line(first, run)
    if first is None or line is None:
        return message("warning.swallowed_oom", count=count)
    memory, total = from_capture(first, device), attempts(run.source, line)
    known = total is not None and count <= total
    kind = "of_total" if known else "one" if count == 1 else "several"
    return message(
        f"warning.caught.{kind}",
        count=count,
        total=total,
        line=line,
        requested_bytes=first.requested_bytes,
        capacity_bytes=memory.capacity_bytes,
        in_use_bytes=memory.in_use_bytes,
        cached_bytes=memory.cached_bytes,
        free_bytes=memory.usable_bytes,
    )


def attempts(source: str, line: int) -> int | None:
    """Return how often a line was tried by what the cell says; `None` is not known."""
    tree = parse_cell(source)
    nodes = [] if tree is None else [each for each in ast.walk(tree) if spans(each, line)]
    loops = [each for each in nodes if isinstance(each, LOOP)]
    trials = [
        keyword.value
        for node in nodes
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "n_trials"
    ]
    if not loops and len(trials) == 1:
        return _number(trials[0])
    if len(loops) != 1 or not any(isinstance(each, ast.Try) and each.handlers for each in nodes):
        return None
    (loop,) = loops
    if not isinstance(loop, ast.For) or any(isinstance(each, ast.Break) for each in ast.walk(loop)):
        return None
    if isinstance(loop.iter, (ast.List, ast.Tuple)):
        starred = any(isinstance(each, ast.Starred) for each in loop.iter.elts)
        return None if starred else len(loop.iter.elts)
    call = loop.iter
    if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "range":
        return None
    numbers = [number for each in call.args if (number := _number(each)) is not None]
    return len(range(*numbers)) if 0 < len(numbers) == len(call.args) else None


def _number(node: ast.expr) -> int | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int else None


def _line(capture: Capture, run: CellRun) -> int | None:
    """Return the innermost line of the cell that ran."""
    steps = (step for _, frames in capture.threads for step in frames)
    return next((line for _, line, _ in in_cells(steps, (run,))), None)
