"""Out-of-memory errors that a cell caught: the number of attempts, and the first one's memory."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING

from ..code.parsing import parse_cell
from ..code.reading import walk
from ..code.rounds import LOOP, spans
from ..oom.failing_line import in_cells
from ..oom.failure_memory import from_capture
from ..text.messages import message
from .words import TEXTS

if TYPE_CHECKING:
    from ..cells.runs import CellRun
    from ..frameworks.torch.observer import Capture
    from ..protocol.generated.wire import Message
    from ..readings.snapshot import DeviceReading


def said_of(
    run: CellRun, count: int, first: Capture | None, device: DeviceReading | None
) -> Message:
    """Return the warning for a cell that caught `count` errors; `first` is the capture of one."""
    steps = [step for _, frames in (first.threads if first else ()) for step in frames]
    line = next((line for _, line, _ in in_cells(steps, (run,))), None)
    if first is None or line is None:
        return message("warning.swallowed_oom", TEXTS, count=count)
    memory, total = from_capture(first, device), attempts(run.source, line)
    has_total = total is not None and count <= total
    return message(
        "warning.caught.of_total" if has_total else "warning.caught.first",
        TEXTS,
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
    """Return how often the cell's code runs a line in all; `None` where that is not known."""
    tree = parse_cell(source)
    nodes = [] if tree is None else [node for node in walk(tree) if spans(node, line)]
    loops = [node for node in nodes if isinstance(node, LOOP)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    trials = [
        keyword.value for call in calls for keyword in call.keywords if keyword.arg == "n_trials"
    ]
    tried = any(isinstance(node, ast.Try) and node.handlers for node in nodes)
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        if not loops:
            return int(ast.literal_eval(trials[0]))
        loop = loops[0]
        ends = any(isinstance(node, ast.Break) for node in walk(loop))
        if len(loops) > 1 or not isinstance(loop, ast.For) or not tried or ends:
            return None
        if isinstance(loop.iter, ast.Call) and getattr(loop.iter.func, "id", "") == "range":
            return len(range(*[ast.literal_eval(argument) for argument in loop.iter.args]))
        return len(ast.literal_eval(loop.iter))
    return None
